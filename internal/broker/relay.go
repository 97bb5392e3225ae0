package broker

import (
	"errors"
	"fmt"
	"io"
	"net/http"
)

// pieceSize is how much of an answer is read at a time.
const pieceSize = 32 << 10

// pieces hands a body on as it arrives, without the credential. It returns nil at the body's end, the first error of
// give, or why reading stopped.
func (x *exchange) pieces(body io.Reader, give func([]byte) error) error {
	clean := scrubbing{scrubber: x.vault.scrubber()}
	buffer := make([]byte, pieceSize)
	for {
		n, err := body.Read(buffer)
		if p := clean.next(buffer[:n]); len(p) > 0 {
			if err := give(p); err != nil {
				return err
			}
		}
		if err == nil {
			continue
		}
		if p := clean.rest(); len(p) > 0 {
			if err := give(p); err != nil {
				return err
			}
		}
		if ended(err) {
			return nil
		}
		return fmt.Errorf("read the provider's answer: %w", err)
	}
}

// write passes bytes to the agent at once.
func (x *exchange) write(p []byte) error {
	if len(p) == 0 {
		return nil
	}
	if _, err := x.w.Write(p); err != nil {
		return fmt.Errorf("%w: %w", errAgentGone, err)
	}
	if err := http.NewResponseController(x.w).Flush(); err != nil {
		return fmt.Errorf("%w: %w", errAgentGone, err)
	}
	return nil
}

// copy passes on an answer that costs nothing.
func (x *exchange) copy(body io.Reader) { x.finish(x.pieces(body, x.write), nil) }

// relay passes on an answer and charges what was answered, however it ends. A stream is passed on event by event, each as
// soon as it is whole and covered by the reservation.
func (x *exchange) relay(body io.Reader, a *account, stream bool) {
	meter := x.Provider.dialect.meter(stream)
	defer func() { x.settle(a, a.closing(meter.reading())) }()
	var pending eventBuffer
	err := x.pieces(body, func(p []byte) error {
		whole := meter.feed(p)
		if stream {
			if err := a.follow(x.r.Context(), meter.reading()); err != nil {
				return &cutError{err}
			}
		}
		return x.write(pending.add(p, whole))
	})
	x.finish(err, pending.kept)
}

// cutError ends a stream because of the account.
type cutError struct{ cause error }

func (e *cutError) Error() string { return "the answer was cut: " + e.cause.Error() }
func (e *cutError) Unwrap() error { return e.cause }

// finish ends an answer in the way it came to its end.
func (x *exchange) finish(err error, pending []byte) {
	if err == nil {
		err = x.write(pending)
	}
	cut, isCut := errors.AsType[*cutError](err)
	switch {
	case isCut && x.r.Context().Err() == nil:
		x.record.Cut, x.record.Cause = true, cut.Error()
		if err := x.write(x.Provider.dialect.last(overdrawn(cut.cause))); err != nil {
			x.Log.Debug("the agent did not wait for the end of a cut answer", "err", err)
		}
	case err != nil:
		x.broken(err)
		abort()
	}
}
