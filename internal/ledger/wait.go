package ledger

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"
)

// waiter is a reservation that waits for the grant to be raised.
type waiter struct {
	seq         int64 // of the first want that it is part of
	want, least sum
	again       time.Time // when it asks again, while others hold what is missing
	pause       time.Duration
}

// acquire takes what is wanted, or what is left and no less than least, and calls commit with it under the lock. What
// commit refuses is not taken.
func (l *Ledger) acquire(ctx context.Context, want, least sum, commit func(sum) error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.glance(); err != nil {
		return err
	}
	if l.covers(want) {
		return commit(want)
	}
	w := &waiter{want: want, least: least}
	l.waiting[w] = true
	if err := l.ask(); err != nil {
		delete(l.waiting, w)
		return err
	}
	w.seq = l.want.Seq
	reason, err := l.wait(ctx, w)
	delete(l.waiting, w)
	if askErr := l.ask(); err == nil { // for less, as one waits no more
		err = askErr
	}
	switch free := l.limit().less(l.book.used()); {
	case err != nil:
		return err
	case l.covers(want):
		return commit(want)
	case least.fits(free):
		return commit(want.atMost(free))
	}
	return l.exhausted(reason)
}

// limit is what may be spent and set aside in all.
func (l *Ledger) limit() sum { return l.grant.limit(l.want.Return) }

// covers reports that the grant has room for so much more.
func (l *Ledger) covers(more sum) bool { return l.book.used().add(more).fits(l.limit()) }

// ask tells the engine what would be needed for all that waits.
func (l *Ledger) ask() error {
	total, least := l.book.used(), sum{most, most}
	for w := range l.waiting {
		total, least = total.add(w.want), least.atMost(w.least)
	}
	next := Want{Seq: l.want.Seq + 1, Total: total.amount(), Return: l.want.Return}
	if len(l.waiting) > 0 {
		next.Least = l.book.used().add(least).amount()
	}
	return l.tell(next)
}

func (l *Ledger) tell(next Want) error {
	if err := writeFile(filepath.Join(l.folder, wantFile), next); err != nil {
		return err
	}
	l.want = next
	return nil
}

// wait returns when the waiter can be served, when the engine has refused it, or when patience ends; the reason says why
// no more was granted. It gives up the lock while it waits.
func (l *Ledger) wait(ctx context.Context, w *waiter) (reason string, err error) {
	over := time.NewTimer(l.Patience)
	defer over.Stop()
	poll := time.NewTicker(l.Poll)
	defer poll.Stop()
	began := time.Now()
	for {
		if err := l.look(); err != nil {
			return "", err
		}
		switch {
		case l.journal == nil:
			return "", ErrClosed
		case l.covers(w.want):
			return "", nil
		case l.grant.Refused != "" && l.grant.Seq >= w.seq:
			if reason = l.grant.Refused; !l.worthwhile(w, began) {
				return reason, nil
			}
			if err := l.askAgain(w); err != nil {
				return "", err
			}
		case l.grant.Seq >= w.seq: // it was granted, and another request was quicker to take it
			if err := l.ask(); err != nil {
				return "", err
			}
			w.seq = l.want.Seq
		}
		changed := l.changed
		l.mu.Unlock()
		late := false
		select {
		case <-ctx.Done():
			late = errors.Is(ctx.Err(), context.DeadlineExceeded)
			if !late {
				err = ctx.Err()
			}
		case <-over.C:
			late = true
		case <-poll.C:
		case <-changed:
		}
		l.mu.Lock()
		if err != nil {
			return "", err
		}
		if late {
			return cmp.Or(reason, "Stellwerk's engine has not answered in time, and no more may be spent than it granted"), nil
		}
	}
}

// worthwhile reports that a waiter who was refused may still be served: others hold what is missing, and not even the least
// is left.
func (l *Ledger) worthwhile(w *waiter, began time.Time) bool {
	return l.grant.Held && time.Since(began) < l.Held && !w.least.fits(l.limit().less(l.book.used()))
}

// askAgain asks once more after a while that grows: each answer is an event.
func (l *Ledger) askAgain(w *waiter) error {
	now := time.Now()
	if w.again.IsZero() {
		w.pause = l.Again
		w.again = now.Add(w.pause)
	}
	if now.Before(w.again) {
		return nil
	}
	w.pause *= 2
	w.again = now.Add(w.pause)
	if err := l.ask(); err != nil {
		return err
	}
	w.seq = l.want.Seq
	return nil
}

// Exhausted is the error of a reservation that could not be made.
type Exhausted struct {
	Reason   string // which limit, in the engine's words
	Spent    Amount // by the attempt
	Reserved Amount // for its requests under way
}

func (e *Exhausted) Error() string {
	text := fmt.Sprintf("%s; this attempt has spent %s", e.Reason, e.Spent.InWords())
	if e.Reserved != (Amount{}) {
		text += fmt.Sprintf(", and %s are set aside for its requests under way", e.Reserved.InWords())
	}
	return text
}

// Is makes it an ErrExhausted.
func (e *Exhausted) Is(target error) bool { return target == ErrExhausted }

func (l *Ledger) exhausted(reason string) error {
	return &Exhausted{Reason: reason, Spent: l.book.settled.amount(), Reserved: l.book.held.amount()}
}
