package pack

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/yard"
)

// YardsOptions are what yards are opened with.
type YardsOptions struct {
	Dir         string // holds them
	Credentials yard.Credentials
	Code        Restorer
	// Others says what other engines did; nil if no other can work on the store.
	Others Others
	// Fence is that of a project this engine owns, else 0.
	Fence func(project string) int64
	// AskAgain is when a repository is asked again that did not give what a yard lacks; 0 for the usual time.
	AskAgain time.Duration
}

// Yards opens each project's yard once. One that is missing is filled with what events, objects and repositories on this
// machine say it had, also if it was removed while it was open. If other engines work on the store, a yard may be behind: it is
// brought up to date before it is used.
type Yards struct {
	YardsOptions
	mu   sync.Mutex
	open map[string]*openYard
}

// NewYards opens none yet.
func NewYards(o YardsOptions) *Yards { return &Yards{YardsOptions: o, open: map[string]*openYard{}} }

// Others is what tells of the work of other engines.
type Others interface {
	Position(ctx context.Context) (int64, error)
	MovedRuns(ctx context.Context, project string, after int64) ([]string, error)
}

// openYard is a yard, and up to where it follows the events.
type openYard struct {
	mu       sync.Mutex
	yard     *yard.Yard // nil until it is opened
	away     *Away      // what it lacks, nil if nothing
	followed bool
	fence    int64            // under which it follows
	position int64            // of the store
	seqs     map[string]int64 // newest event that was looked at, of the runs that moved since
}

// Yard implements dispatch.Yards.
func (y *Yards) Yard(ctx context.Context, project string) (*yard.Yard, error) {
	o := y.entry(project)
	o.mu.Lock()
	defer o.mu.Unlock()
	return y.current(ctx, project, o)
}

// Remove removes a project's yard from this machine.
func (y *Yards) Remove(_ context.Context, project string) error {
	o := y.entry(project)
	o.mu.Lock()
	defer o.mu.Unlock()
	var closed error
	if o.yard != nil {
		closed = o.yard.Close()
		o.yard, o.away, o.followed, o.seqs = nil, nil, false, map[string]int64{}
	}
	return errors.Join(closed, yard.RemoveWorkspace(filepath.Join(y.Dir, project+".git")))
}

// entry is what is known of a project's yard, which may not be open yet.
func (y *Yards) entry(project string) *openYard {
	y.mu.Lock()
	defer y.mu.Unlock()
	o, known := y.open[project]
	if !known {
		o = &openYard{seqs: map[string]int64{}}
		y.open[project] = o
	}
	return o
}

// current is the yard, opened, filled and up to date. The caller holds its lock.
func (y *Yards) current(ctx context.Context, project string, o *openYard) (*yard.Yard, error) {
	if err := y.notice(project, o); err != nil {
		return nil, err
	}
	if o.yard == nil {
		if err := y.fill(ctx, project, o); err != nil {
			return nil, err
		}
	}
	if o.away != nil && o.away.askable(cmp.Or(y.AskAgain, askAgain)) {
		if err := o.lacks(y.Code.Restore(ctx, o.yard, project)); err != nil {
			return nil, err
		}
	}
	if y.Others != nil {
		if err := y.follow(ctx, project, o); err != nil {
			return nil, err
		}
	}
	return o.yard, nil
}

// notice gives up a yard whose folder was removed while it was open.
func (y *Yards) notice(project string, o *openYard) error {
	if o.yard == nil {
		return nil
	}
	gone, err := o.yard.Gone()
	if err != nil || !gone {
		return err
	}
	y.Code.Log.Warn("the folder of an open yard was removed; it is filled again", "project", project, "folder", o.yard.Dir())
	if err := o.yard.Close(); err != nil {
		y.Code.Log.Warn("close a yard whose folder was removed", "project", project, "error", err)
	}
	o.yard, o.away, o.followed, o.seqs = nil, nil, false, map[string]int64{}
	return nil
}

// fill opens a yard, and fills one that is empty.
func (y *Yards) fill(ctx context.Context, project string, o *openYard) error {
	opened, err := yard.Open(ctx, filepath.Join(y.Dir, project+".git"))
	if err != nil {
		return err
	}
	opened.Credentials = y.Credentials
	empty, err := opened.Empty()
	if err == nil && empty && y.Others == nil {
		err = y.Code.Restore(ctx, opened, project)
	}
	if !usable(err) {
		return errors.Join(err, opened.Close())
	}
	o.yard = opened
	return o.lacks(err)
}

// lacks notes how the yard was filled. It returns the error unless the yard can be used all the same.
func (o *openYard) lacks(err error) error {
	if !usable(err) {
		return err
	}
	o.away, _ = errors.AsType[*Away](err)
	o.yard.Lacks(err)
	return nil
}

// lacksMore is lacks for what was added to the yard: whatever it lacked before is still missing.
func (o *openYard) lacksMore(err error) error {
	if err == nil {
		return nil
	}
	if more, ok := errors.AsType[*Away](err); ok && o.away != nil {
		maps.Copy(more.repositories, o.away.repositories)
	}
	return o.lacks(err)
}

// follow brings a yard up to date with what other engines did. Its refs follow the events when this engine has just got the
// project, or does not have it. While it owns the project, its own effects move refs before they report it, so only what others
// may have added is brought in: the commits that runs begin at, and merges that people granted.
func (y *Yards) follow(ctx context.Context, project string, o *openYard) error {
	fence := y.Fence(project) // before the events are read
	position, err := y.Others.Position(ctx)
	if err != nil || o.followed && fence == o.fence && position == o.position {
		return err
	}
	if !o.followed {
		err = o.lacks(y.Code.Restore(ctx, o.yard, project))
	} else {
		err = y.catchUp(ctx, project, o, fence != 0 && fence == o.fence)
	}
	if err != nil {
		return err
	}
	o.followed, o.fence, o.position = true, fence, position
	return nil
}

// catchUp brings in what runs of the project that moved since say.
func (y *Yards) catchUp(ctx context.Context, project string, o *openYard, mine bool) error {
	runs, err := y.Others.MovedRuns(ctx, project, o.position)
	if err != nil || len(runs) == 0 {
		return err
	}
	if !mine {
		o.seqs = map[string]int64{}
		return o.lacksMore(y.Code.Follow(ctx, o.yard, project, runs))
	}
	for _, run := range runs {
		o.seqs[run], err = y.Code.Bring(ctx, o.yard, project, run, o.seqs[run])
		if err := o.lacksMore(err); err != nil {
			return err
		}
	}
	return nil
}

// Secure packs what only the yards of this folder hold. With here, also what repositories on this machine stand for.
func (y *Yards) Secure(ctx context.Context, project string, here bool) error {
	_, err := os.Stat(filepath.Join(y.Dir, project+".git"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	y.Code.Log.Info("packing the commits that only a yard has", "project", project) // a large one takes a while
	opened, err := y.Yard(ctx, project)
	if err != nil {
		return err
	}
	return y.Code.Secure(ctx, opened, project, here)
}

// Close gives all yards up.
func (y *Yards) Close() error {
	y.mu.Lock()
	defer y.mu.Unlock()
	var errs []error
	for _, o := range y.open {
		o.mu.Lock()
		if o.yard != nil {
			errs = append(errs, o.yard.Close())
		}
		o.mu.Unlock()
	}
	return errors.Join(errs...)
}
