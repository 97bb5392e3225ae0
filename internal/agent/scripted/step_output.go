package scripted

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/agent"
)

type say struct{ text string }

func (t *say) play(_ context.Context, s *session) error {
	return s.emit(agent.Record{Kind: agent.KindText, Text: t.text})
}

type addUsage struct {
	model string
	used  agent.ModelUsage
}

func (u *addUsage) play(_ context.Context, s *session) error {
	model := u.model
	if model == "" {
		model = "scripted"
	}
	s.usage.Add(model, u.used)
	return s.emit(agent.Record{Kind: agent.KindUsage, Usage: s.usage.Clone()})
}

type sleep struct{ length time.Duration }

func (r *sleep) play(ctx context.Context, _ *session) error {
	timer := time.NewTimer(r.length)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("sleeping: %w", ctx.Err())
	}
}

type flood struct {
	bytes int64
	to    string
	line  int
}

func (f *flood) play(ctx context.Context, s *session) error {
	target := s.stdout
	if f.to == "stderr" {
		target = s.env.Stderr
	}
	if err := f.pour(ctx, target); err != nil {
		return fmt.Errorf("flooding %s: %w", f.to, err)
	}
	return nil
}

func (f *flood) pour(ctx context.Context, target io.Writer) error {
	buffered := bufio.NewWriterSize(target, 64<<10)
	full := append(bytes.Repeat([]byte{'x'}, f.line-1), '\n')
	for left := f.bytes; left > 0; {
		if err := ctx.Err(); err != nil {
			return err
		}
		part := full[len(full)-int(min(left, int64(len(full)))):]
		if _, err := buffered.Write(part); err != nil {
			return err
		}
		left -= int64(len(part))
	}
	return buffered.Flush()
}
