package client

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// maxLine bounds one line of a stream: an event with everything it pins.
const maxLine = 64 << 20

// resumePause keeps a stream that breaks off again and again from spinning.
const (
	resumePause    = 50 * time.Millisecond
	maxResumePause = 5 * time.Second
)

func (c *Client) document(ctx context.Context, body io.Reader, w io.Writer) error {
	buf := make([]byte, 32<<10)
	for {
		n, err := body.Read(buf)
		if _, werr := w.Write(buf[:n]); werr != nil {
			return fmt.Errorf("write the document: %w", werr)
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return c.broken(ctx, err)
		}
	}
}

// resumed reads a stream to its end. One that breaks off is opened again after
// the last that arrived, for as long as an engine answers; one over the network
// also waits a while for it to answer again.
func (c *Client) resumed(ctx context.Context, r api.Route, in any, on handler) error {
	var heard time.Time
	var last string
	for pause := resumePause; ; {
		resp, err := c.open(ctx, r, in, last)
		switch {
		case err == nil:
			s := &stream{r: bufio.NewReader(resp.Body), on: on, last: last}
			err = s.read()
			_ = resp.Body.Close()
			if !errors.Is(err, errBrokenOff) {
				return err
			}
			last, heard, pause = s.last, time.Now(), resumePause
		case core.CodeOf(err) != core.CodeUnavailable || heard.IsZero() || time.Since(heard) > c.patience:
			return err
		default:
			pause = min(2*pause, maxResumePause)
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(pause):
		}
	}
}

var errBrokenOff = errors.New("the stream broke off")

// stream reads server-sent events.
type stream struct {
	r    *bufio.Reader
	on   handler
	last string // id of the newest event handed on
}

// handler takes what has a name, and gives the id to resume after; its error
// ends the stream.
type handler func(name string, data []byte) (last string, err error)

// read returns nil at the end of the run, errBrokenOff where the stream ends
// without saying so, and otherwise the problem or the error of fn.
func (s *stream) read() error {
	var name string
	var data []byte
	for {
		line, err := s.line()
		if err != nil {
			return err
		}
		if len(line) == 0 {
			if done, err := s.dispatch(name, data); done || err != nil {
				return err
			}
			name, data = "", nil
			continue
		}
		field, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch string(field) {
		case "event":
			name = string(value)
		case "data":
			data = bytes.Clone(value)
		}
	}
}

func (s *stream) line() ([]byte, error) {
	var line []byte
	for {
		part, err := s.r.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case err == nil:
			return bytes.TrimRight(line, "\r\n"), nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, errBrokenOff
		case len(line) > maxLine:
			return nil, core.Errorf(core.CodeInternal, "the engine sent an event of more than %d bytes", maxLine)
		}
	}
}

func (s *stream) dispatch(name string, data []byte) (done bool, err error) {
	switch name {
	case api.EventProblem:
		var p api.Problem
		if err := json.Unmarshal(data, &p); err != nil {
			return true, core.Errorf(core.CodeInternal, "the engine sent a problem that cannot be read: %w", err)
		}
		return true, p.Err()
	case api.EventEnd:
		return true, nil
	case "":
		return false, nil
	}
	last, err := s.on(name, data)
	if last != "" {
		s.last = last
	}
	return err != nil, err
}

// happened hands on the events of a run.
func happened(fn func(core.Event) error) handler {
	return func(name string, data []byte) (string, error) {
		if name != api.EventHappened {
			return "", nil
		}
		var e core.Event
		if err := json.Unmarshal(data, &e); err != nil {
			return "", core.Errorf(core.CodeInternal, "the engine sent an event that cannot be read: %w", err)
		}
		if err := fn(e); err != nil {
			return "", err
		}
		return strconv.FormatInt(e.Seq, 10), nil
	}
}

// moved hands on what moved, also while the stream was broken off.
func moved(fn func(api.Moved) error) handler {
	return func(name string, data []byte) (string, error) {
		if name != api.EventMoved {
			return "", nil
		}
		var m api.Moved
		if err := json.Unmarshal(data, &m); err != nil {
			return "", core.Errorf(core.CodeInternal, "the engine sent a move that cannot be read: %w", err)
		}
		return m.At, fn(m)
	}
}
