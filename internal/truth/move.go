package truth

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/store"
)

// Move copies everything from one pair to another, which is empty or what an earlier Move to it left, and verifies the copy. Only
// then engines can work on the copy, and from then on they cannot work on the original. If it fails or is cut short, the copy
// stays closed, and repeating the same Move begins again; an original that was not closed before is open again.
func Move(ctx context.Context, from, to Pair, o Options) (report Report, err error) {
	m := &move{from: from, to: to, options: o, report: &report}
	if err := m.begin(ctx); err != nil {
		return report, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, m.giveUp(context.WithoutCancel(ctx)))
		}
	}()
	objects, err := copied(ctx, from.Objects, to.Objects, o, &report)
	if err != nil {
		return report, err
	}
	original := newAudit(o, &report)
	original.refuses = func() error { return m.sound(original, objects) }
	if err := to.Store.Import(ctx, original.watched(ctx, from.Store, CopyEvents)); err != nil {
		return report, err
	}
	if err := m.same(ctx); err != nil {
		return report, err
	}
	return report, m.end(ctx)
}

// Reopen gives up a Move: engines can work on the original again. That is safe as long as nobody works on the copy.
func Reopen(ctx context.Context, p Pair) error {
	c, err := p.Store.Closure(ctx)
	if err != nil || c == (store.Closure{}) {
		return err
	}
	if c.Reason == store.Filling { // it may have half of everything
		return c.Refusal(p.Name)
	}
	return p.Store.SetClosure(ctx, c, store.Closure{})
}

// move is one under way.
type move struct {
	from, to Pair
	options  Options
	report   *Report
	was      store.Closure // of the original
}

func (m *move) leaving() store.Closure {
	return store.Closure{Reason: store.Leaving, Other: m.to.Name}
}

func (m *move) left() store.Closure {
	return store.Closure{Reason: store.Left, Other: m.to.Name}
}

func (m *move) filling() store.Closure {
	return store.Closure{Reason: store.Filling, Other: m.from.Name}
}

// begin closes both stores, unless only the last step of a move to the same copy is missing.
func (m *move) begin(ctx context.Context) (err error) {
	if m.was, err = m.from.Store.Closure(ctx); err != nil {
		return err
	}
	copy, err := m.to.Store.Closure(ctx)
	if err != nil {
		return err
	}
	again := copy == m.filling()
	switch {
	case again && m.was == m.left():
		return nil
	case m.was.Reason != "" && m.was.Reason != store.Leaving:
		return m.was.Refusal(m.from.Name)
	case !again && copy != store.Closure{}:
		return copy.Refusal(m.to.Name)
	}
	if !again {
		if err := m.to.Store.SetClosure(ctx, copy, m.filling()); err != nil {
			return unclosed(m.to.Name, err)
		}
	}
	err = m.from.Store.SetClosure(ctx, m.was, m.leaving())
	if err != nil && !again { // nothing was done to it
		return errors.Join(unclosed(m.from.Name, err), m.to.Store.SetClosure(context.WithoutCancel(ctx), m.filling(), copy))
	}
	return unclosed(m.from.Name, err)
}

// unclosed says in words why a store was not closed.
func unclosed(name string, err error) error {
	var alive *store.EngineAlive
	switch {
	case errors.As(err, &alive):
		return core.Wrap(core.CodeConflict, err, fmt.Sprintf("%s cannot be moved: %v", name, alive), "end the engine; if it is gone already, wait until then")
	case errors.Is(err, store.ErrNotEmpty):
		return core.Wrap(core.CodeConflict, err, fmt.Sprintf("%s is not empty (%v), and nothing is overwritten", name, err), "move to a new one")
	}
	return err
}

// giveUp opens the original again.
func (m *move) giveUp(ctx context.Context) error {
	c, err := m.from.Store.Closure(ctx)
	if err != nil || c != m.leaving() {
		return err
	}
	return m.from.Store.SetClosure(ctx, c, store.Closure{})
}

// sound refuses to move what would not be whole afterwards.
func (m *move) sound(original *audit, objects transfer) error {
	chains := 0
	for _, f := range m.report.Faults {
		if f.Kind == FaultChain {
			chains++
		}
	}
	for digest := range original.named {
		if _, known := objects.lost[digest]; !known && !objects.whole[digest] {
			objects.lost[digest] = missing(digest)
		}
	}
	lacking := 0
	for _, digest := range slices.Sorted(maps.Keys(objects.lost)) {
		m.report.fault(m.options, objects.lost[digest].of(original.named[digest]))
		if original.named[digest] != "" {
			lacking++
		}
	}
	switch {
	case chains > 0:
		return core.Errorf(core.CodeConflict, "%s is not moved: in %d places, events are not what was committed", m.from.Name, chains).
			WithHint("see all that is wrong, and restore a backup from before").Offer(core.Choice{Verb: core.VerbCheckStore})
	case lacking > 0 && !m.options.Incomplete:
		return core.Errorf(core.CodeConflict, "%s is not moved: %d objects that it names are missing or damaged", m.from.Name, lacking).
			WithHint("put them back from a backup; or move it without them").Offer(core.Choice{Verb: core.VerbWithoutLost})
	}
	return nil
}

// same reads the copy and compares it with what was read of the original.
func (m *move) same(ctx context.Context) error {
	var copied Report
	a := newAudit(Options{Progress: m.options.Progress}, &copied)
	if err := a.read(ctx, m.to.Store, VerifyEvents); err != nil {
		return err
	}
	for i, want := range m.report.Counts {
		if got := copied.Counts[i]; got != want {
			return core.Errorf(core.CodeInternal, "the copy is not the original: %s has %d %s of digest %.12s, %s has %d of %.12s",
				m.from.Name, want.Records, want.Table, want.Digest, m.to.Name, got.Records, got.Digest)
		}
	}
	for _, f := range copied.Faults {
		if f.Kind == FaultChain {
			return core.Errorf(core.CodeInternal, "the copy is not whole: %s: %s", f.Of, f.Problem)
		}
	}
	return nil
}

// end closes the original for good before it opens the copy.
func (m *move) end(ctx context.Context) error {
	if m.was != m.left() {
		if err := m.from.Store.SetClosure(ctx, m.leaving(), m.left()); err != nil {
			return err
		}
	}
	return m.to.Store.SetClosure(ctx, m.filling(), store.Closure{})
}
