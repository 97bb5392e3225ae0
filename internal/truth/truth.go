// Package truth checks and moves what nothing can rebuild: a store and the objects that its events name. It must not interpret
// a run, change anything of a store that it checks, or let engines work on two copies of the same.
package truth

import (
	"context"
	"iter"

	"github.com/stellwerk-dev/stellwerk/internal/object"
	"github.com/stellwerk-dev/stellwerk/internal/store"
)

// Store is a store that can be read as a whole and put in another's place.
type Store interface {
	store.Copies
	Position(ctx context.Context) (int64, error)
}

// Pair is a store and its objects. The store was opened in spite of being closed, where that can be.
type Pair struct {
	Name    string // as people call it; always the same for the same store
	Store   Store
	Objects object.Objects
}

// Step is a piece of long work.
type Step string

// The steps, in the order in which Move takes them. Check takes the last two.
const (
	CopyObjects   Step = "copy objects"
	CopyEvents    Step = "copy events"
	VerifyEvents  Step = "verify events"
	VerifyObjects Step = "verify objects"
)

// Progress is how far a step is.
type Progress struct {
	Step        Step
	Done, Total int64 // events or objects
}

// Options say what to do with what is found on the way. Functions are not called twice at once.
type Options struct {
	Progress func(Progress) // nil for nobody
	Fault    func(Fault)    // is told of each as soon as it is found; nil for nobody
	// Incomplete moves a store although objects that it names are missing or damaged. They are missing afterwards.
	Incomplete bool
}

func (o Options) progress(step Step, done, total int64) {
	if o.Progress != nil {
		o.Progress(Progress{step, done, total})
	}
}

// FaultKind says what is wrong.
type FaultKind string

const (
	FaultChain  FaultKind = "chain"  // events are not what was committed, or not all of it
	FaultRow    FaultKind = "row"    // what was derived does not agree with the events
	FaultObject FaultKind = "object" // one that is named is missing or damaged
	FaultFormat FaultKind = "format" // an event or a document that this version cannot read
)

// Fault is something wrong with a store or its objects.
type Fault struct {
	Kind    FaultKind
	Of      string // a stream, an object, a row
	Problem string
	Advice  string
}

// Count is how much a table holds.
type Count struct {
	Table   string
	Records int64
	Digest  string // of all of them, in order
}

// Report is what was found in a store, or moved to another one.
type Report struct {
	Counts  []Count
	Streams int
	Objects int   // that are named
	Copied  int   // objects that the other place did not have
	Bytes   int64 // of those
	Faults  []Fault
}

// most is how many events pass between two words about progress.
const most = 1000

// read has an audit read all of a store.
func (a *audit) read(ctx context.Context, s Store, step Step) error {
	for _, err := range a.watched(ctx, s, step) {
		if err != nil {
			return err
		}
	}
	return nil
}

// watched is all of a store, read by the audit on its way to somebody else. At the end, the audit draws its conclusions.
func (a *audit) watched(ctx context.Context, s Store, step Step) iter.Seq2[store.Record, error] {
	return func(yield func(store.Record, error) bool) {
		total, err := s.Position(ctx)
		if err != nil {
			yield(store.Record{}, err)
			return
		}
		done := int64(0)
		a.options.progress(step, 0, total)
		for r, err := range s.Export(ctx) {
			if err == nil {
				err = a.note(r)
			}
			if !yield(r, err) || err != nil {
				return
			}
			if r.Table.Name == store.TableEvents {
				if done++; done%most == 0 {
					a.options.progress(step, done, max(total, done))
				}
			}
		}
		a.conclude()
		a.options.progress(step, done, done)
		if a.refuses != nil {
			if err := a.refuses(); err != nil {
				yield(store.Record{}, err)
			}
		}
	}
}
