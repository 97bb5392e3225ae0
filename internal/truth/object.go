package truth

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/object"
)

// atOnce is how many objects are read at once. Most are small, and some places are far.
const atOnce = 8

const (
	adviseObject  = "put it back from a backup of the objects: copying the object's file into the folder of objects is enough"
	adviseDamaged = "put it back from a backup of the objects; storing the same content again repairs it"
)

// objects goes through many objects at once.
type objects struct {
	options Options
	step    Step
	lose    func(digest string, f Fault) // one that is missing or damaged

	mu    sync.Mutex
	done  int64           // guarded by mu
	whole map[string]bool // guarded by mu: digests of those that are whole in their place
}

// each calls do with all digests, some at once. If an object is missing or damaged, the others go on.
func (o *objects) each(ctx context.Context, digests []string, do func(ctx context.Context, digest string) error) error {
	o.whole = map[string]bool{}
	total := int64(len(digests))
	group, going := errgroup.WithContext(ctx)
	group.SetLimit(atOnce)
	o.options.progress(o.step, 0, total)
	for _, digest := range digests {
		if going.Err() != nil {
			break
		}
		group.Go(func() error { return o.one(digest, do(going, digest), total) })
	}
	return errors.Join(group.Wait(), ctx.Err())
}

// one notes what became of an object.
func (o *objects) one(digest string, err error, total int64) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case err == nil:
		o.whole[digest] = true
	case errors.Is(err, object.ErrDamaged):
		o.lose(digest, Fault{FaultObject, "object " + digest, "is damaged", adviseDamaged})
	case core.CodeOf(err) == core.CodeNotFound:
		o.lose(digest, missing(digest))
	default:
		return err
	}
	o.done++
	o.options.progress(o.step, o.done, total)
	return nil
}

func missing(digest string) Fault {
	return Fault{FaultObject, "object " + digest, "is missing", adviseObject}
}

// of says what names an object that is missing or damaged.
func (f Fault) of(who string) Fault {
	if who == "" {
		f.Problem += "; nothing is known to name it"
	} else {
		f.Problem += "; " + who + " names it"
	}
	return f
}

// verify reads all objects that are named.
func verify(ctx context.Context, p Pair, o Options, report *Report, named map[string]string) error {
	all := &objects{options: o, step: VerifyObjects, lose: func(digest string, f Fault) { report.fault(o, f.of(named[digest])) }}
	return all.each(ctx, slices.Sorted(maps.Keys(named)), p.Objects.Verify)
}

// transfer is what became of the objects of a move.
type transfer struct {
	whole map[string]bool  // in the other place
	lost  map[string]Fault // missing or damaged
}

// copied copies all objects that the other place does not have whole.
func copied(ctx context.Context, from, to object.Objects, o Options, report *Report) (transfer, error) {
	t := transfer{lost: map[string]Fault{}}
	var digests []string
	err := from.Each(ctx, func(e object.Entry) error {
		digests = append(digests, e.Digest)
		return nil
	})
	if err != nil {
		return t, err
	}
	all := &objects{options: o, step: CopyObjects, lose: func(digest string, f Fault) { t.lost[digest] = f }}
	err = all.each(ctx, digests, func(ctx context.Context, digest string) error {
		copied, size, err := copyObject(ctx, from, to, digest)
		if copied {
			all.mu.Lock()
			report.Copied, report.Bytes = report.Copied+1, report.Bytes+size
			all.mu.Unlock()
		}
		return err
	})
	t.whole = all.whole
	return t, err
}

// copyObject copies an object unless it is there already, and whole.
func copyObject(ctx context.Context, from, to object.Objects, digest string) (copied bool, size int64, err error) {
	if _, err := to.Size(ctx, digest); err == nil {
		err := to.Verify(ctx, digest)
		if err == nil || !errors.Is(err, object.ErrDamaged) {
			return false, 0, err
		}
	} else if core.CodeOf(err) != core.CodeNotFound {
		return false, 0, err
	}
	r, err := from.Open(ctx, digest)
	if err != nil {
		return false, 0, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	put, size, err := to.Put(ctx, object.Checked(digest, r), 0)
	if err == nil && put != digest {
		err = core.Errorf(core.CodeInternal, "object %s was kept as %s", digest, put)
	}
	return err == nil, size, err
}
