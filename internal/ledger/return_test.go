package ledger_test

import (
	"errors"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/ledger"
	"github.com/stellwerk-dev/stellwerk/internal/waittest"
)

func giveBack(t *testing.T, l *ledger.Ledger) {
	t.Helper()
	if err := l.Return(); err != nil {
		t.Fatal(err)
	}
}

func newestWant(t *testing.T, folder string) ledger.Want {
	t.Helper()
	w, err := ledger.ReadWant(folder)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// TestWhatNobodyNeedsIsGivenBack: at first what requests since the last look did not need, and all once none came.
func TestWhatNobodyNeedsIsGivenBack(t *testing.T) {
	folder := t.TempDir()
	l := begin(t, folder, ledger.Grant{Amount: amount(4, 4000)})
	first, second := reserve(t, l, ask(0.5, 500)), reserve(t, l, ask(0.5, 500))
	settle(t, l, first, spent(0.25, 100, 0))
	giveBack(t, l)
	if w := newestWant(t, folder); w.Return == nil || w.Return.Seq != w.Seq || w.Return.Keeps != amount(1.25, 1100) || w.Total != w.Return.Keeps {
		t.Fatalf("after a busy time the attempt asks for %+v", w)
	}
	giveBack(t, l)
	if w := newestWant(t, folder); w.Seq != 2 || w.Return.Keeps != amount(0.75, 600) {
		t.Fatalf("with one request under way it asks for %+v", w)
	}
	settle(t, l, second, spent(0.25, 100, 0))
	giveBack(t, l) // one was under way since the last look
	giveBack(t, l)
	if w := newestWant(t, folder); w.Return.Keeps != amount(0.5, 200) {
		t.Fatalf("at rest it asks for %+v", w)
	}
	giveBack(t, l)
	if w := newestWant(t, folder); w.Seq != 3 {
		t.Errorf("what was given back is given back again: %+v", w)
	}
}

// TestWhatWasGivenBackIsNotSpent, whatever the grant says that the engine wrote before it heard of it. Nor does another
// keeper of the account spend it.
func TestWhatWasGivenBackIsNotSpent(t *testing.T) {
	folder := t.TempDir()
	l := begin(t, folder, ledger.Grant{Amount: amount(4, 4000)})
	settle(t, l, reserve(t, l, ask(1, 100)), spent(1, 100, 0))
	giveBack(t, l)
	giveBack(t, l)
	given := newestWant(t, folder)
	if given.Return == nil || given.Return.Keeps != amount(1, 100) {
		t.Fatalf("given back was %+v", given)
	}
	refused := func(l *ledger.Ledger) {
		t.Helper()
		l.Patience = time.Nanosecond
		if _, err := l.Reserve(t.Context(), ask(0.5, 10)); !errors.Is(err, ledger.ErrExhausted) {
			t.Errorf("what was given back gives %v", err)
		}
	}
	refused(l)
	grant(t, folder, ledger.Grant{Seq: given.Seq - 1, Amount: amount(9, 9000)}) // an answer to what was asked before
	refused(l)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	refused(begin(t, folder, ledger.Grant{})) // and asks on, so that the return is not its newest want
	next := begin(t, folder, ledger.Grant{})
	refused(next)
	w := newestWant(t, folder)
	if w.Return == nil || *w.Return != *given.Return || w.Seq <= given.Seq {
		t.Fatalf("then it asks for %+v", w)
	}
	grant(t, folder, ledger.Grant{Seq: w.Seq, Amount: amount(2, 2000)})
	if held := reserve(t, next, ask(1, 10)); held.Amount != amount(1, 10) {
		t.Errorf("with a new answer, %+v is set aside", held)
	}
}

// TestNothingIsGivenBackInVain: where nothing is limited, or too little is left over to be worth an event.
func TestNothingIsGivenBackInVain(t *testing.T) {
	for name, c := range map[string]struct {
		grant ledger.Grant
		use   ledger.Ask
	}{
		"unlimited": {ledger.Grant{UnlimitedUSD: true, UnlimitedTokens: true}, ask(1, 1)},
		"little":    {ledger.Grant{Amount: amount(1, 100)}, ask(0.9, 90)},
		"nothing":   {ledger.Grant{Amount: amount(1, 0), UnlimitedTokens: true}, ask(1, 90)},
	} {
		folder := t.TempDir()
		l := begin(t, folder, c.grant)
		reserve(t, l, c.use)
		giveBack(t, l)
		giveBack(t, l)
		if w := newestWant(t, folder); w != (ledger.Want{}) {
			t.Errorf("%s: it asks for %+v", name, w)
		}
	}
}

// TestWhatOthersHoldIsWaitedFor as long as they may give it back, and asked for again.
func TestWhatOthersHoldIsWaitedFor(t *testing.T) {
	folder := t.TempDir()
	l := begin(t, folder, ledger.Grant{Amount: amount(1, 1000)})
	l.Poll, l.Again, l.Held = time.Millisecond, time.Millisecond, waittest.Limit
	done := make(chan error, 1)
	go func() {
		_, err := l.Reserve(t.Context(), ask(3, 10))
		done <- err
	}()
	w := wanted(t, folder, amount(3, 10))
	grant(t, folder, ledger.Grant{Seq: w.Seq, Amount: amount(1, 1000), Refused: "others hold it", Held: true})
	if !waittest.Until(func() bool { return newestWant(t, folder).Seq > w.Seq }) {
		t.Fatal("it does not ask again")
	}
	grant(t, folder, ledger.Grant{Seq: newestWant(t, folder).Seq, Amount: amount(3, 1000)})
	if err := <-done; err != nil {
		t.Errorf("given back, it is not had: %v", err)
	}

	l = begin(t, folder, ledger.Grant{})
	l.Poll, l.Again, l.Held = time.Millisecond, time.Millisecond, 20*time.Millisecond
	go func() {
		_, err := l.Reserve(t.Context(), ask(3, 10))
		done <- err
	}()
	if !waittest.Until(func() bool {
		select {
		case err := <-done:
			var short *ledger.Exhausted
			if !errors.As(err, &short) || short.Reason != "others hold it" {
				t.Errorf("never given back, it gives %v", err)
			}
			return true
		default:
			grant(t, folder, ledger.Grant{Seq: newestWant(t, folder).Seq, Amount: amount(3, 1000), Refused: "others hold it", Held: true})
			return false
		}
	}) {
		t.Error("it waits for ever")
	}
}

// TestWhoIsOvertakenAsksAgain: a request that comes while another waits can take what was granted for that one.
func TestWhoIsOvertakenAsksAgain(t *testing.T) {
	folder := t.TempDir()
	l := begin(t, folder, ledger.Grant{Amount: amount(1, 1000)})
	l.Poll = 100 * time.Millisecond // it looks late, and another request first
	done := make(chan ledger.Held, 1)
	go func() { done <- reserve(t, l, ask(2, 20)) }()
	w := wanted(t, folder, amount(2, 20))
	grant(t, folder, ledger.Grant{Seq: w.Seq, Amount: amount(2, 1000)})
	quick := reserve(t, l, ask(0.5, 5))
	if !waittest.Until(func() bool {
		w := newestWant(t, folder)
		grant(t, folder, ledger.Grant{Seq: w.Seq, Amount: amount(max(w.Total.USD, 2), 1000)})
		select {
		case held := <-done:
			return held.Full
		default:
			return false
		}
	}) {
		t.Error("it waits for what another has taken")
	}
	settle(t, l, quick, spent(0, 0, 0))
}

// TestTwoShareAPurse: two attempts reserve, settle and give back at random while an engine hands out no more than it has.
// What the two can spend is never more than the purse, whenever the engine is killed between its book and its word.
func TestTwoShareAPurse(t *testing.T) {
	const purse = 10
	for seed := range uint64(3) {
		var accounts []*ledger.Ledger
		var folders []string
		for range 2 {
			folder := t.TempDir()
			l := begin(t, folder, ledger.Grant{Amount: amount(1, 1e6), UnlimitedTokens: true})
			l.Poll, l.Again, l.Held = time.Millisecond, time.Millisecond, 50*time.Millisecond
			accounts, folders = append(accounts, l), append(folders, folder)
		}
		stop := make(chan struct{})
		var engine, requests sync.WaitGroup
		engine.Go(func() { sharePurse(t, folders, purse, rand.New(rand.NewPCG(seed, 99)), stop) })
		for i := range uint64(8) {
			requests.Go(func() {
				r, l := rand.New(rand.NewPCG(seed, i)), accounts[i%2]
				for range 12 {
					if err := useOnce(t, l, r); err != nil {
						t.Error(err)
					}
					if r.IntN(3) == 0 {
						if err := l.Return(); err != nil {
							t.Error(err)
						}
					}
				}
			})
		}
		requests.Wait()
		close(stop)
		engine.Wait()
		total := 0.0
		for _, folder := range folders {
			s, err := ledger.Read(folder)
			if err != nil || s.Overspent != amount(0, 0) {
				t.Errorf("seed %d: %+v, %v", seed, s, err)
			}
			total += s.Settled.USD
		}
		if total > purse+1e-6 || total < purse/2 {
			t.Errorf("seed %d: $%v of $%d were spent", seed, total, purse)
		}
	}
}

func useOnce(t *testing.T, l *ledger.Ledger, r *rand.Rand) error {
	want := 0.05 + r.Float64()/2
	held, err := l.Reserve(t.Context(), ledger.Ask{Model: "m", Least: amount(want/4, 0), Want: amount(want, 0)})
	if errors.Is(err, ledger.ErrExhausted) {
		return nil
	}
	if err != nil {
		return err
	}
	return l.Settle(held, spent(held.Amount.USD*r.Float64(), 0, 0))
}

// sharePurse is an engine with a book of what it has reserved. Now and then it dies after it wrote into its book, and only
// the next one tells the attempt.
func sharePurse(t *testing.T, folders []string, purse float64, r *rand.Rand, stop <-chan struct{}) {
	type entry struct {
		reserved float64
		answered int64
		refused  bool
	}
	book := []entry{{reserved: 1}, {reserved: 1}}
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-stop:
			return
		case <-tick.C:
		}
		for i, folder := range folders {
			w, err := ledger.ReadWant(folder)
			if err != nil {
				t.Error(err)
			}
			if e := &book[i]; w.Seq > e.answered {
				if w.Return != nil && w.Return.Seq > e.answered {
					e.reserved = min(e.reserved, w.Return.Keeps.USD)
				}
				left := purse - book[0].reserved - book[1].reserved
				more := max(w.Total.USD-e.reserved, 0)
				e.answered, e.refused = w.Seq, more > left
				e.reserved += max(min(more, left), 0)
			}
			if r.IntN(4) == 0 {
				continue // it died before it could say so
			}
			g := ledger.Grant{Seq: book[i].answered, Amount: amount(book[i].reserved, 0), UnlimitedTokens: true}
			if book[i].refused {
				g.Refused, g.Held = "the purse is empty", true
			}
			if err := ledger.WriteGrant(folder, g); err != nil {
				t.Error(err)
			}
		}
	}
}
