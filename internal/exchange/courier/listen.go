package courier

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"

	"github.com/stellwerk-dev/stellwerk/internal/exchange/wire"
	"github.com/stellwerk-dev/stellwerk/internal/ledger"
	"github.com/stellwerk-dev/stellwerk/internal/shim"
)

// listen heeds what the engines say, until ctx ends. If they want nothing of the attempt any more, it ends it.
func (a *attempt) listen(ctx context.Context, after string) error {
	for {
		var word wire.Word
		err := a.client.insist(ctx, "GET", wire.PathWord+"?after="+url.QueryEscape(after), nil, decoded(&word))
		if ctx.Err() != nil {
			return nil //nolint:nilerr // nobody wants to hear anything any more
		}
		if _, exitErr := shim.ReadExit(a.root); errors.Is(err, ErrGivenUp) && exitErr == nil {
			return err // most likely because this worker has said how it ended
		}
		if errors.Is(err, ErrGivenUp) || errors.Is(err, errRefused) {
			a.Log.Warn("the attempt is given up", "error", err)
			return errors.Join(err, shim.Cancel(a.root))
		}
		if err != nil {
			return err
		}
		if err := a.heed(word); err != nil {
			return err
		}
		after = word.Seq
	}
}

// heed passes on to the shim what an engine said.
func (a *attempt) heed(word wire.Word) error {
	if len(word.Grant) > 0 {
		var grant ledger.Grant
		if err := json.Unmarshal(word.Grant, &grant); err != nil {
			return fmt.Errorf("read what may be spent: %w", err)
		}
		if err := ledger.WriteGrant(a.root, grant); err != nil {
			return err
		}
	}
	if word.Cancel {
		return shim.Cancel(a.root)
	}
	return nil
}
