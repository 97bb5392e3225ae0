package courier

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/exchange/wire"
	"github.com/stellwerk-dev/stellwerk/internal/shim"
)

// pumpEvery is how often the shim's files are looked at while the agent runs.
const pumpEvery = 100 * time.Millisecond

const wantFile = "want.json"

// pump brings to the engines what grows in the attempt's folder. It is used by one goroutine at a time.
type pump struct {
	*attempt
	at   map[string]wire.Extent
	sent map[string]int // length of the piece that was sent last and is not acknowledged; it may have arrived
	want []byte
}

func newPump(a *attempt) *pump {
	return &pump{attempt: a, at: map[string]wire.Extent{}, sent: map[string]int{}}
}

// run pumps until ctx ends.
func (p *pump) run(ctx context.Context) error {
	tick := time.NewTicker(pumpEvery)
	defer tick.Stop()
	for {
		err := p.all(ctx, false)
		switch {
		case ctx.Err() != nil:
			return nil
		case errors.Is(err, ErrGivenUp), errors.Is(err, errRefused):
			return errors.Join(err, shim.Cancel(p.root))
		case err != nil:
			p.Log.Warn("what the attempt wrote could not be read", "error", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// all sends everything that is there, and at the end what is no whole line, too.
func (p *pump) all(ctx context.Context, end bool) error {
	if err := p.ask(ctx); err != nil {
		return err
	}
	for _, name := range wire.Streams() {
		if err := p.stream(ctx, name, end); err != nil {
			return err
		}
	}
	return nil
}

// ask sends what the attempt's broker wants.
func (p *pump) ask(ctx context.Context) error {
	data, err := os.ReadFile(filepath.Join(p.root, wantFile))
	if errors.Is(err, fs.ErrNotExist) || err == nil && bytes.Equal(data, p.want) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := p.client.insist(ctx, "PUT", wire.PathWant, data, nil); err != nil {
		return fmt.Errorf("ask for leave to spend: %w", err)
	}
	p.want = data
	return nil
}

// stream sends what has been added to a file, in pieces that stay the same however often they are sent.
func (p *pump) stream(ctx context.Context, name string, end bool) (err error) {
	file, err := os.Open(filepath.Join(p.root, name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	buffer := make([]byte, wire.MaxChunk)
	for {
		at := p.at[name]
		n, err := file.ReadAt(buffer, at.Length)
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		piece := buffer[:n]
		if sent := p.sent[name]; sent > 0 {
			piece = piece[:sent]
		} else if !end && n < len(buffer) {
			piece = piece[:bytes.LastIndexByte(piece, '\n')+1] // the rest is being written
		}
		if len(piece) == 0 {
			return nil
		}
		p.sent[name] = len(piece)
		path := fmt.Sprintf("%s%s?offset=%d&previous=%d", wire.PathStream, name, at.Length, at.Last)
		if err := p.client.insist(ctx, "POST", path, piece, nil); err != nil {
			return fmt.Errorf("send %s from byte %d: %w", name, at.Length, err)
		}
		p.sent[name] = 0
		p.at[name] = wire.Extent{Length: at.Length + int64(len(piece)), Last: at.Length}
	}
}
