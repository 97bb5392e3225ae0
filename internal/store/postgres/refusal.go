package postgres

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/store"
)

// The codes with which the database refuses a write.
const (
	codeFenced = "SW001"
	codeStale  = "SW002"
	codeForked = "SW003"
	codeOpen   = "SW004"
	codeSpent  = "SW005"
	codeHeld   = "SW006"
	codeTaken  = "SW007"
	codeClosed = "SW008"
	codeAlive  = "SW009"
	codeFilled = "SW010"
)

// codeLocked is PostgreSQL's own: a lock was waited for until lock_timeout.
const codeLocked = "55P03"

// refusal is why the database did not carry out a write.
type refusal struct {
	Code   string          `json:"code"`
	Stream string          `json:"stream"`
	Seq    int64           `json:"seq"`
	Fence  int64           `json:"fence"`
	Hash   string          `json:"hash"` // of the event that stands where the first of the commit belongs
	Alias  string          `json:"alias"`
	Others spent           `json:"others"`
	Detail json.RawMessage `json:"detail"`
}

// spent is what runs have used, as the database sums it up.
type spent struct {
	Cost       int64 `json:"cost"`
	Tokens     int64 `json:"tokens"`
	Attempts   int64 `json:"attempts"`
	Working    int64 `json:"working"`
	Unpriced   int64 `json:"unpriced"`
	Worked     int64 `json:"worked"`
	Held       int64 `json:"held"`
	HeldTokens int64 `json:"held_tokens"`
}

func (s spent) total() core.Spent {
	return core.Spent{
		CostUSD: core.Dollars(s.Cost), Tokens: s.Tokens, Attempts: int(s.Attempts), Working: int(s.Working), Unpriced: int(s.Unpriced),
		Worked: time.Duration(s.Worked) * time.Microsecond, HeldUSD: core.Dollars(s.Held), HeldTokens: s.HeldTokens,
	}
}

// readRefusal reads an answer; nil if the write was carried out.
func readRefusal(answer json.RawMessage) (*refusal, error) {
	if bytes.Equal(answer, []byte("null")) {
		return nil, nil
	}
	r := &refusal{}
	if err := json.Unmarshal(answer, r); err != nil {
		return nil, fmt.Errorf("read why the database refused: %w", err)
	}
	return r, nil
}

func (r *refusal) unknown() error {
	return core.Errorf(core.CodeInternal, "the database refused with %s", r.Code)
}

func (c commit) refusal(answer json.RawMessage, again bool) error {
	r, err := readRefusal(answer)
	if err != nil || r == nil {
		return err
	}
	if again && len(c.events) > 0 && r.Hash == c.events[0].Hash {
		return nil // it was carried out, and the answer was lost
	}
	switch r.Code {
	case codeFenced:
		return fmt.Errorf("project %s has fence %d, not %d: %w", c.Of, r.Fence, c.Fence, store.ErrFenced)
	case codeStale:
		return fmt.Errorf("%s stands at %d: %w", r.Stream, r.Seq, store.ErrStale)
	case codeForked:
		return core.Errorf(core.CodeForked, "%s: event %d does not follow the event stored before it", c.Stream, c.After+1)
	case codeOpen:
		return &store.RunOpen{Alias: r.Alias}
	case codeSpent:
		return &store.BudgetSpent{Project: c.Budget.Project, Others: r.Others.total(), At: c.Budget.At}
	case codeHeld:
		return c.held(r)
	case codeTaken:
		return c.taken(r)
	}
	return r.unknown()
}

func (c commit) held(r *refusal) error {
	var by struct{ Kind, Key, Holder string }
	if err := json.Unmarshal(r.Detail, &by); err != nil {
		return fmt.Errorf("read which claim is held: %w", err)
	}
	for _, claim := range c.Acquire {
		if string(claim.Kind) == by.Kind && claim.Key == by.Key {
			return &store.ClaimHeld{Claim: claim, Holder: by.Holder}
		}
	}
	return r.unknown()
}

func (c commit) taken(r *refusal) error {
	var full []struct {
		Holder, Pool, By string
		Limit            int
	}
	if err := json.Unmarshal(r.Detail, &full); err != nil || len(full) == 0 {
		return fmt.Errorf("read which slots are taken: %w", err)
	}
	taken := &store.SlotsTaken{}
	for _, f := range full {
		taken.Full = append(taken.Full, store.Full{Holder: f.Holder, Pool: core.SlotPool{Key: f.Pool, Limit: f.Limit}, By: f.By})
	}
	return taken
}
