package ledger

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
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
	// Patience is how long a reservation waits for the engine to raise the grant; an engine may be restarting. Held is how
	// long it goes on asking if the engine says that others hold what is missing, and Again how soon it asks for the second
	// time. Poll is how often it looks for an answer. All are set before the first reservation.
	Patience, Held, Again, Poll time.Duration

	folder string

	mu      sync.Mutex
	journal *journal // nil when closed
	book    *book
	grant   Grant
	looked  fs.FileInfo // the file that the grant was read from
	want    Want
	peak    sum // the most that was set aside at once since the last look at what is not needed
	waiting map[*waiter]bool
	changed chan struct{} // closed when there may be more to take
}

// Open opens the account in a folder, or begins it with the initial grant. Requests that were in flight when a former
// keeper died are charged with what is known of them.
func Open(folder string, initial Grant) (*Ledger, error) {
	l := &Ledger{
		Patience: 5 * time.Minute, Held: time.Minute, Again: 2 * time.Second, Poll: 50 * time.Millisecond,
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
func (l *Ledger) look() error {
	path := filepath.Join(l.folder, grantFile)
	now, err := os.Stat(path)
	if err != nil {
		return fmt.Errorf("read an account: %w", err)
	}
	var g Grant
	if err := readFile(path, &g); err != nil {
		return err
	}
	l.grant, l.looked = g, now
	return nil
}

// glance reads the grant anew if its file seems to be another one. It may miss one that was replaced twice within the
// clock's grain, so it does for a first try only.
func (l *Ledger) glance() error {
	now, err := os.Stat(filepath.Join(l.folder, grantFile))
	if err == nil && l.looked != nil && os.SameFile(now, l.looked) && now.ModTime().Equal(l.looked.ModTime()) {
		return nil
	}
	return l.look()
}

// note writes a line and adds it up.
func (l *Ledger) note(n line) error {
	if l.journal == nil {
		return ErrClosed
	}
	if err := l.book.check(n); err != nil {
		return err
	}
	if err := l.journal.add(n); err != nil {
		return err
	}
	l.book.apply(n)
	l.peak = l.peak.atLeast(l.book.held)
	return nil
}

// Reserve sets aside what is wanted. If the grant does not cover it, Reserve asks the engine for more and waits; if
// no more comes, it sets aside what is left, down to the least. The error is ErrExhausted if less is left. A deadline
// of ctx shortens the patience.
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

// Extend raises what is set aside for a request to a total, in the same way as Reserve.
func (l *Ledger) Extend(ctx context.Context, held Held, least, want Amount) (Held, error) {
	had := sumOf(held.Amount)
	more := sumOf(least).less(had)
	err := l.acquire(ctx, sumOf(want).less(had).atLeast(more), more, func(got sum) error {
		held.Amount = had.add(got).amount()
		return l.note(line{Deed: extended, ID: held.ID, Held: &held.Amount})
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
		l.book.apply(n)
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
