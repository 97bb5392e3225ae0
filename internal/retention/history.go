package retention

import (
	"context"
	"errors"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// readBatch is how many events are read at once.
const readBatch = 512

// history is what the events of a run say about what it left.
type history struct {
	foreign  error // what of it only a newer version reads
	erased   bool
	swept    bool
	prompts  map[string]string             // digests by attempt
	attempts map[string]core.AttemptExited // by attempt
}

// digest is whatever could be one in the words of an event or a document.
const digest = `\b[0-9a-f]{64}\b`

// read reads a run's events, and notes every digest that they speak of.
func (p *pass) read(ctx context.Context, run string) (*history, error) {
	h := &history{prompts: map[string]string{}, attempts: map[string]core.AttemptExited{}}
	err := p.each(ctx, core.RunStream(run), func(e core.Event) error {
		if e.Erased() {
			h.erased = true
			return nil
		}
		body, err := core.Decode(e)
		if errors.Is(err, core.ErrUnreadable) {
			h.foreign = err
			return nil
		}
		needed := e.Type == core.TypeRunSwept || e.Type == core.TypeAttemptStarted || e.Type == core.TypeAttemptExited
		if err != nil && needed {
			return err
		}
		switch b := body.(type) {
		case core.RunSwept:
			h.swept = true
		case core.AttemptStarted:
			h.prompts[b.Attempt] = b.Prompt
		case core.AttemptExited:
			h.attempts[b.Attempt] = b
		default: // the others leave nothing behind
		}
		return nil
	})
	return h, err
}

// speaks notes every digest in a text.
func (p *pass) speaks(text string) {
	for _, d := range p.digests.FindAllString(text, -1) {
		p.spoken[d] = true
	}
}

func (p *pass) each(ctx context.Context, stream string, fn func(core.Event) error) error {
	for after := int64(0); ; {
		events, err := p.Store.Events(ctx, stream, after, readBatch)
		if err != nil || len(events) == 0 {
			return err
		}
		for _, e := range events {
			p.speaks(string(e.Body))
			if err := fn(e); err != nil {
				return err
			}
			after = e.Seq
		}
	}
}
