package courier

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/exchange/wire"
	"github.com/stellwerk-dev/stellwerk/internal/shim"
)

// saveLook is how often the courier looks for a new checkpoint.
const saveLook = 500 * time.Millisecond

// save brings checkpoints to the engines until ctx ends. One that cannot be brought is left out: another follows.
func (a *attempt) save(ctx context.Context) error {
	tick := time.NewTicker(saveLook)
	defer tick.Stop()
	for last := ""; ; {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		var err error
		last, err = a.saveNew(ctx, last)
		if errors.Is(err, ErrGivenUp) || ctx.Err() != nil {
			return nil // which the listener says, too
		}
		if err != nil {
			a.Log.Warn("a checkpoint was not handed in", "error", err)
		}
	}
}

// saveNew brings the newest checkpoint unless it is the last that was tried, and returns which it tried last.
func (a *attempt) saveNew(ctx context.Context, last string) (string, error) {
	dir, err := shim.LastCheckpoint(a.root)
	if err != nil || dir == "" || dir == last {
		return last, err
	}
	return dir, a.saveOne(ctx, dir)
}

func (a *attempt) saveOne(ctx context.Context, dir string) error {
	exit, err := shim.ReadExit(dir)
	if err != nil {
		return err
	}
	saved := wire.End{}
	if saved.Exit, err = os.ReadFile(filepath.Join(dir, exitFile)); err != nil {
		return err
	}
	if saved.Files, err = a.uploadAll(ctx, dir, named(exit)); err != nil {
		return err
	}
	data, err := json.Marshal(saved)
	if err != nil {
		return err
	}
	return a.client.insist(ctx, "PUT", wire.PathSaved, data, nil)
}
