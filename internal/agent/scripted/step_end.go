package scripted

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/agent"
)

// finalStep is a step after which nothing can follow.
type finalStep interface {
	step
	final()
}

// claim is a lie when nothing was done: the player cannot tell, and neither can
// anybody who only listens.
type claim struct{ text string }

func (*claim) final() {}

func (c *claim) play(_ context.Context, s *session) error {
	s.end = &ending{result: c.text}
	return s.emit(agent.Record{Kind: agent.KindText, Text: c.text})
}

type fail struct {
	class   agent.Class
	message string
	retryIn time.Duration
}

func (*fail) final() {}

func (f *fail) play(_ context.Context, s *session) error {
	s.end = &ending{result: f.message, code: exitFailed, class: f.class}
	if f.retryIn > 0 {
		at := time.Now().Add(f.retryIn).UTC().Truncate(time.Second)
		s.end.retryAt = &at
	}
	return nil
}

type crash struct {
	code   int
	signal syscall.Signal
}

func (*crash) final() {}

func (c *crash) play(ctx context.Context, s *session) error {
	s.end = &ending{silent: true, code: c.code}
	if c.signal == 0 {
		return nil
	}
	signal.Reset(c.signal)
	if err := syscall.Kill(os.Getpid(), c.signal); err != nil {
		return fmt.Errorf("sending itself the signal %v: %w", c.signal, err)
	}
	// A signal arrives when it arrives.
	<-ctx.Done()
	return nil
}

type hang struct{ ignoreTerm bool }

func (*hang) final() {}

func (h *hang) play(ctx context.Context, s *session) error {
	s.end = &ending{silent: true, code: exitTerminated}
	if !h.ignoreTerm {
		<-ctx.Done()
		return nil
	}
	signal.Ignore(syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	if err := s.emit(agent.Record{Kind: agent.KindNotice, Text: "ignoring signals"}); err != nil {
		return err
	}
	for {
		time.Sleep(time.Hour)
	}
}
