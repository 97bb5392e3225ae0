// Package retention removes from a state folder what is proved to be kept
// elsewhere, and nothing else: of runs that are over, the folders of attempts and
// of work, second copies of transcripts and refs whose commits a branch holds,
// and comments that nobody can send any more; and objects that no event and no document speaks of.
// Each removal is proved by digests and by git right before it, and can be
// repeated where it was cut short. It must not touch events, manifests, artifacts,
// anything of an open run, or the only copy of anything else.
package retention

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/object"
	"github.com/stellwerk-dev/stellwerk/internal/store"
	"github.com/stellwerk-dev/stellwerk/internal/wording"
	"github.com/stellwerk-dev/stellwerk/internal/yard"
)

// What is removed.
const (
	KindWork       = "work"       // folders in which a run worked
	KindAttempt    = "attempt"    // the folder of an attempt
	KindDraft      = "draft"      // comments that nobody can send any more
	KindTranscript = "transcript" // the copy in the run's folder
	KindRef        = "ref"        // of an attempt, in the yard
	KindObject     = "object"
)

// Store is what retention reads.
type Store interface {
	Runs(ctx context.Context, f store.Filter) ([]store.RunRow, error)
	Projects(ctx context.Context, limit int) ([]store.ProjectRow, error)
	Events(ctx context.Context, stream string, after int64, limit int) ([]core.Event, error)
	store.Documents
}

// Drafts is what people wrote about a run and have not sent.
type Drafts interface {
	Size(ctx context.Context, run string) (int64, error)
	Forget(ctx context.Context, run string) error
}

// Yards finds the yard of a project.
type Yards interface {
	Yard(ctx context.Context, project string) (*yard.Yard, error)
}

// Options are what retention works on.
type Options struct {
	State   string // the state folder
	Store   Store
	Objects object.Objects
	// Drafts keeps what people wrote about runs and have not sent.
	Drafts Drafts
	Yards  Yards
	// Left is why a project is left to engines of a newer version; nil if it is not.
	Left func(project string) error
	Log  *slog.Logger
}

// Request says what is to go.
type Request struct {
	Before      time.Time // runs that ended before, objects that were put before
	Transcripts bool      // copies of transcripts in run folders, too
	ObjectsOnly bool      // folders and the rest stay
	Remove      bool      // otherwise nothing is removed, and the report says what would be
}

// Item is something that was removed, or would be.
type Item struct {
	Kind  string
	Run   string // alias; "" for an object
	Name  string // of the attempt, the ref, the object
	Bytes int64
	Proof string // where it is kept, or why nobody needs it
}

// Kept is something that is old enough and stays.
type Kept struct {
	Kind, Run, Name, Reason string
}

// Report is what became of a request.
type Report struct {
	Items []Item
	Kept  []Kept
	Bytes int64
}

// pass is one request under way.
type pass struct {
	Options
	Request
	report  Report
	digests *regexp.Regexp
	spoken  map[string]bool // digests that events and documents speak of
	foreign bool            // an event speaks of something that only a newer version reads
}

// Run carries a request out. If it fails in the middle, what was removed until
// then is in the report.
func Run(ctx context.Context, o Options, req Request) (Report, error) {
	p := &pass{Options: o, Request: req, digests: regexp.MustCompile(digest), spoken: map[string]bool{}}
	if err := p.documents(ctx); err != nil {
		return p.report, err
	}
	rows, err := o.Store.Runs(ctx, store.Filter{})
	if err != nil {
		return p.report, err
	}
	known := map[string]bool{}
	for _, row := range rows {
		known[row.ID] = true
		h, err := p.read(ctx, row.ID)
		if err != nil {
			return p.report, fmt.Errorf("read the events of %s: %w", row.Alias, err)
		}
		foreign := h.foreign
		if foreign == nil {
			foreign = o.Left(row.Project)
		}
		if foreign != nil {
			p.foreign = true
			p.keep(Item{Kind: KindAttempt, Run: row.Alias, Name: "all"}, wording.Unreadable(foreign))
			continue
		}
		if h.erased || req.ObjectsOnly || row.EndedAt == nil || !row.EndedAt.Before(req.Before) || !h.swept {
			continue
		}
		if err := p.run(ctx, row, h); err != nil {
			return p.report, fmt.Errorf("look at what is left of %s: %w", row.Alias, err)
		}
	}
	err = p.objects(ctx, known)
	return p.report, err
}

// run sees to one run that is over and swept.
func (p *pass) run(ctx context.Context, row store.RunRow, h *history) error {
	y, err := p.Yards.Yard(ctx, row.Project)
	if err != nil {
		return err
	}
	o := &over{pass: p, row: row, history: h, yard: y}
	for _, step := range []func(context.Context) error{o.attempts, o.work, o.drafts, o.transcripts, o.refs} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// did carries a removal out, if it is to be, and notes it. If it fails, the thing is kept and
// the others go on.
func (p *pass) did(item Item, remove func() error) {
	if p.Remove {
		if err := remove(); err != nil {
			p.Log.Warn("what is kept elsewhere could not be removed", "kind", item.Kind, "run", item.Run, "name", item.Name, "error", err)
			p.keep(item, "it could not be removed: "+err.Error())
			return
		}
	}
	p.report.Items = append(p.report.Items, item)
	p.report.Bytes += item.Bytes
}

func (p *pass) keep(item Item, reason string) {
	p.report.Kept = append(p.report.Kept, Kept{item.Kind, item.Run, item.Name, reason})
}

// dropped marks a folder that was proved to be kept elsewhere and is being
// removed: if that was cut short, the rest goes without another proof.
const dropped = ".dropped-"

// drop removes a folder so that nobody ever finds half of one under its name.
func drop(dir string) error {
	if strings.HasPrefix(filepath.Base(dir), dropped) {
		return yard.RemoveWorkspace(dir)
	}
	gone := filepath.Join(filepath.Dir(dir), dropped+filepath.Base(dir))
	if err := yard.RemoveWorkspace(gone); err != nil { // of a try before
		return err
	}
	if err := os.Rename(dir, gone); err != nil {
		return fmt.Errorf("set a folder aside: %w", err)
	}
	return yard.RemoveWorkspace(gone)
}
