package ledger

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"sync"
	"time"
)

var (
	// ErrExhausted says that not even the least that was asked for is left.
	ErrExhausted = errors.New("the limit is used up")
	// ErrClosed says that the account takes no more reservations.
	ErrClosed = errors.New("the account is closed")

	errLine    = errors.New("the line cannot follow those before it")
	errSettled = errors.New("the reservation is settled already")
)

// Ask is a request for money before something is spent.
type Ask struct {
	Model string
	Floor Spent  // what is spent at least as soon as the request is sent
	Least Amount // with less than this the request is not worth sending
	Want  Amount // the most it can cost
}

// Held is what was set aside for one request.
type Held struct {
	ID     int64
	Amount Amount
	Full   bool // it is all that was wanted
}

// Ledger keeps one attempt's account. It is safe for concurrent use; one process at a time may have it open.
type Ledger struct {
	// Patience is how long a reservation waits for the engine to raise the grant; an engine may be restarting. Poll is
	// how often it looks. Both are set before the first reservation.
	Patience, Poll time.Duration

	folder string

	mu      sync.Mutex
	journal *journal // nil when closed
	book    *book
	grant   Grant
	want    Want
	waiting map[*waiter]bool
	changed chan struct{} // closed when there may be more to take
}

// Open opens the account in a folder, or begins it with the initial grant. Requests that were in flight when a former
// keeper died are charged with what is known of them.
func Open(folder string, initial Grant) (*Ledger, error) {
	l := &Ledger{
		Patience: 5 * time.Minute, Poll: 50 * time.Millisecond,
		folder: folder, grant: initial, waiting: map[*waiter]bool{}, changed: make(chan struct{}),
	}
	var err error
	if l.want, err = ReadWant(folder); err != nil {
		return nil, err
	}
	err = l.look()
	if errors.Is(err, fs.ErrNotExist) {
		err = WriteGrant(folder, initial)
	}
	if err != nil {
		return nil, err
	}
	if l.journal, l.book, err = openJournal(folder); err != nil {
		return nil, err
	}
	for _, id := range slices.Sorted(maps.Keys(l.book.flights)) {
		charge := l.book.flights[id].Charge()
		if err := l.note(line{Deed: lost, ID: id, Spent: &charge}); err != nil {
			return nil, errors.Join(err, l.Close())
		}
	}
	return l, nil
}

// look reads the grant anew.
func (l *Ledger) look() error { return readFile(filepath.Join(l.folder, grantFile), &l.grant) }

// note writes a line and adds it up.
func (l *Ledger) note(n line) error {
	if l.journal == nil {
		return ErrClosed
	}
	if err := l.journal.add(n); err != nil {
		return err
	}
	return l.book.apply(n)
}

// Reserve sets aside what is wanted. If the grant does not cover it, Reserve asks the engine for more and waits; where
// no more comes, it sets aside what is left, down to the least. The error is ErrExhausted where less is left.
func (l *Ledger) Reserve(ctx context.Context, ask Ask) (Held, error) {
	want, least := sumOf(ask.Want), sumOf(ask.Least)
	var held Held
	err := l.acquire(ctx, want.atLeast(least), least, func(got sum) error {
		amount, floor := got.amount(), ask.Floor.clean()
		held = Held{ID: l.book.last + 1, Amount: amount, Full: want.fits(got)}
		return l.note(line{Deed: reserved, ID: held.ID, Model: ask.Model, Held: &amount, Spent: &floor})
	})
	return held, err
}

// Extend raises what is set aside for a request to a total, in the same way as Reserve; all of it or nothing.
func (l *Ledger) Extend(ctx context.Context, held Held, total Amount) (Held, error) {
	more := sumOf(total).less(sumOf(held.Amount))
	err := l.acquire(ctx, more, more, func(sum) error {
		amount := sumOf(held.Amount).add(more).amount()
		held.Amount = amount
		return l.note(line{Deed: extended, ID: held.ID, Held: &amount})
	})
	return held, err
}

// Progress notes what a request has spent so far.
func (l *Ledger) Progress(held Held, seen Spent) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	seen = seen.clean()
	return l.note(line{Deed: progressed, ID: held.ID, Spent: &seen})
}

// Settle charges what a request has spent, be it more than was set aside, and frees the rest. Where the journal cannot
// be written the charge counts all the same, as long as this process lives.
func (l *Ledger) Settle(held Held, spent Spent) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	spent = spent.clean()
	if l.book.flights[held.ID] == nil {
		return fmt.Errorf("settle %d: %w", held.ID, errSettled)
	}
	n := line{Deed: settled, ID: held.ID, Spent: &spent}
	err := l.note(n)
	if err != nil {
		err = errors.Join(err, l.book.apply(n))
	}
	close(l.changed)
	l.changed = make(chan struct{})
	return err
}

// Statement is the account now.
func (l *Ledger) Statement() Statement {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.book.statement()
}

// Close ends the account. What is in flight stays in flight: whoever reads the account charges it.
func (l *Ledger) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.journal == nil {
		return nil
	}
	file := l.journal.file
	l.journal = nil
	close(l.changed)
	l.changed = make(chan struct{})
	return errors.Join(file.Sync(), file.Close())
}
