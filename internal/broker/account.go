package broker

import (
	"context"
	"errors"
	"math"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/ledger"
)

// Ledger is the account that requests are charged to. It is safe for concurrent use. Every reservation is settled once.
type Ledger interface {
	// Reserve sets aside what ask wants, or as much as there is down to the least; it may wait for more to be granted. The
	// error is ledger.ErrExhausted if not even the least is left.
	Reserve(ctx context.Context, ask ledger.Ask) (ledger.Held, error)
	// Extend raises a reservation to a total: want, or as much as there is down to the least. If not even that is left, it
	// fails and leaves the reservation as it was.
	Extend(ctx context.Context, held ledger.Held, least, want ledger.Amount) (ledger.Held, error)
	// Progress notes what a request has spent so far, in case this process dies before it settles.
	Progress(held ledger.Held, seen ledger.Spent) error
	// Settle charges what a request has spent and frees the rest.
	Settle(held ledger.Held, spent ledger.Spent) error
}

const (
	noteEvery   = 64               // tokens of output between two notes of progress
	extendBy    = 1024             // the least tokens of output to ask for; otherwise a quarter of what there was
	extendLimit = 10 * time.Second // how long a stream waits for them
)

// account is one request's reservation.
type account struct {
	ledger  Ledger
	request request
	prices  Prices
	price   Price
	factor  float64
	held    ledger.Held
	output  int64 // the most tokens that the provider was told to answer
	noted   int64 // tokens of output that the ledger knows of
	told    bool  // the ledger knows what the provider said of the prompt
}

// open reserves what a request may cost.
func open(ctx context.Context, l Ledger, list Prices, r request) (*account, error) {
	p, _ := list.Of(r.model)
	a := &account{ledger: l, request: r, prices: list, price: p, factor: r.multiplier(p), output: r.output}
	held, err := l.Reserve(ctx, ledger.Ask{
		Model: r.model, Floor: a.estimate(0), Least: a.estimate(r.least).Amount(), Want: a.estimate(r.output).Amount(),
	})
	if err != nil {
		return nil, err
	}
	a.held = held
	if !held.Full {
		a.output = a.affordable(held.Amount)
	}
	if r.stream {
		return a, nil
	}
	if err := l.Progress(held, a.unheard()); err != nil {
		return nil, errors.Join(err, l.Settle(held, ledger.Spent{})) // it is not sent
	}
	return a, nil
}

// unheard is what a request costs that was sent and whose answer nobody saw. A provider stops a stream that nobody reads,
// but may write and bill an answer in one piece to its end.
func (a *account) unheard() ledger.Spent {
	if a.request.stream {
		return a.estimate(0)
	}
	return a.estimate(a.output)
}

// estimate is what the request costs with so much output, before the provider has said anything. All of the prompt
// counts as input, and costs what its dearest kind does.
func (a *account) estimate(output int64) ledger.Spent {
	u := a.request.prompt
	u.Output = output
	return ledger.Spent{Usage: ledger.Usage{Input: u.Prompt(), Output: output}, USD: a.price.Cost(u, a.factor)}
}

// affordable is how much output an amount pays for.
func (a *account) affordable(amount ledger.Amount) int64 {
	floor := a.estimate(0)
	output := min(a.request.output, amount.Tokens-floor.Usage.Tokens())
	if each := a.estimate(1).USD - floor.USD; each > 0 {
		output = min(output, int64(math.Floor((amount.USD-floor.USD)/each+1e-6)))
	}
	return max(a.request.least, output)
}

// spent is what an answer has cost as far as it is known: by the provider's word if there is one, by an estimate
// otherwise.
func (a *account) spent(r reading) ledger.Spent {
	u := r.usage
	if !r.final {
		u.Output = max(u.Output, tokensIn(r.text))
	}
	if !r.prompt {
		return a.estimate(u.Output)
	}
	spent := ledger.Spent{Usage: u, USD: a.price.Cost(u, a.factor)}
	for _, other := range r.others {
		price := a.price
		if other.model != "" {
			price, _ = a.prices.Of(other.model)
		}
		spent.Usage = spent.Usage.Add(other.usage)
		spent.USD += price.Cost(other.usage, a.factor)
	}
	return spent
}

// closing is the cost of an answer that ends without the provider's last word: at most what the provider was told to answer.
// If the model was thinking without showing it, nobody knows how much, so it is all of that.
func (a *account) closing(r reading) ledger.Spent {
	if all := a.output * bytesPerToken; r.silent {
		r.text = all
	} else {
		r.text = min(r.text, all)
	}
	return a.spent(r)
}

// follow keeps the reservation ahead of an answer on its way. An error means that the answer must end here.
func (a *account) follow(ctx context.Context, r reading) error {
	now := a.spent(r)
	if !r.final && !within(now.Amount(), a.held.Amount) {
		more := r
		more.text += max(extendBy*bytesPerToken, r.text/4)
		ctx, cancel := context.WithTimeout(ctx, extendLimit)
		defer cancel()
		held, err := a.ledger.Extend(ctx, a.held, now.Amount(), a.spent(more).Amount())
		if err != nil {
			return err
		}
		a.held = held
	}
	return a.note(r, now.Usage.Output)
}

// note tells the ledger of progress in advance, so that the record is never less than what was answered.
func (a *account) note(r reading, output int64) error {
	if output < a.noted && r.prompt == a.told {
		return nil
	}
	a.noted, a.told = output+noteEvery, r.prompt
	if !r.final {
		r.text = max(r.text, a.noted*bytesPerToken)
	}
	return a.ledger.Progress(a.held, a.closing(r))
}

func within(a, limit ledger.Amount) bool {
	const grain = 1e-9 // of a dollar: the error of adding floats
	return a.USD <= limit.USD+grain && a.Tokens <= limit.Tokens
}
