package broker_test

import (
	"context"

	"github.com/stellwerk-dev/stellwerk/internal/ledger"
)

// unlimited is an account without a limit.
type unlimited struct{}

func (unlimited) Reserve(_ context.Context, ask ledger.Ask) (ledger.Held, error) {
	return ledger.Held{Amount: ask.Want, Full: true}, nil
}

func (unlimited) Extend(_ context.Context, held ledger.Held, _, want ledger.Amount) (ledger.Held, error) {
	held.Amount = want
	return held, nil
}

func (unlimited) Progress(ledger.Held, ledger.Spent) error { return nil }
func (unlimited) Settle(ledger.Held, ledger.Spent) error   { return nil }
