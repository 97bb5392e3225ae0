package ledger

import "fmt"

// book is what the lines of a journal add up to.
type book struct {
	models  map[string]Spent
	settled sum
	over    sum
	held    sum // for what is in flight
	flights map[int64]*Flight
	last    int64 // highest id
}

// Flight is a request under way.
type Flight struct {
	ID    int64
	Model string
	Held  Amount
	Floor Spent // what it spends at least: its prompt, as estimated
	Seen  Spent // what is known of it so far
}

// Charge is what the request counts for if nothing more is heard of it: its prompt by the larger of estimate and what
// the provider said, and the output seen.
func (f Flight) Charge() Spent {
	charge := f.Seen
	if f.Floor.Usage.Tokens() > charge.Usage.Tokens() {
		charge.Usage = f.Floor.Usage
		charge.Usage.Output = max(charge.Usage.Output, f.Seen.Usage.Output)
	}
	charge.USD = max(f.Floor.USD, f.Seen.USD)
	return charge
}

// check fails for a line that cannot follow those before it.
func (b *book) check(l line) error {
	known := b.flights[l.ID] != nil
	switch l.Deed {
	case reserved:
		known = l.ID > b.last && l.Held != nil && l.Spent != nil
	case extended:
		known = known && l.Held != nil
	case progressed, settled, lost:
		known = known && l.Spent != nil
	default:
		known = false
	}
	if !known {
		return fmt.Errorf("%w: %q of %d", errLine, l.Deed, l.ID)
	}
	return nil
}

// apply adds a line that was checked.
func (b *book) apply(l line) {
	f := b.flights[l.ID]
	switch l.Deed {
	case reserved:
		b.last = l.ID
		b.flights[l.ID] = &Flight{ID: l.ID, Model: l.Model, Held: *l.Held, Floor: *l.Spent}
		b.held = b.held.add(sumOf(*l.Held))
	case extended:
		b.held = b.held.less(sumOf(f.Held)).add(sumOf(*l.Held))
		f.Held = *l.Held
	case progressed:
		f.Seen = *l.Spent
	case settled, lost:
		b.settle(f, *l.Spent)
	}
}

func (b *book) settle(f *Flight, spent Spent) {
	delete(b.flights, f.ID)
	b.held = b.held.less(sumOf(f.Held))
	b.models[f.Model] = b.models[f.Model].add(spent)
	amount := sumOf(spent.Amount())
	b.settled = b.settled.add(amount)
	b.over = b.over.add(amount.less(sumOf(f.Held)))
}

// used is what is spent or set aside.
func (b *book) used() sum { return b.settled.add(b.held) }
