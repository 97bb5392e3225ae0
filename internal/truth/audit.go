package truth

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/exchange/remote"
	"github.com/stellwerk-dev/stellwerk/internal/object"
	"github.com/stellwerk-dev/stellwerk/internal/pack"
	"github.com/stellwerk-dev/stellwerk/internal/store"
)

const (
	adviseRestore = "restore a backup from before; what is there may not be what happened"
	adviseDerived = "restore a backup from before, or report this: the events are whole, and what was derived from them is not"
	adviseVersion = "check it with the newer version of Stellwerk that wrote it"
)

// audit reads the records of a store in their order and notes what does not fit.
type audit struct {
	options Options
	refuses func() error // at the end, if set: why what was read goes nowhere
	report  *Report

	sums      map[string]*sum
	digest    *regexp.Regexp
	naming    []string // kinds of documents that name objects
	line      []byte
	chains    map[string]core.Head // where events end
	ended     map[string]bool      // streams of which a store says where they end
	snapshots map[string]core.Head // that no event has confirmed yet
	hinted    map[string]bool
	projects  map[string]bool // registered by an event and without a row yet
	runs      map[string]bool // with a row
	slots     map[string]bool // holders, and whether they hold
	pooled    map[string]bool // holders that have a pool
	newest    int64           // version of a document
	named     map[string]string
	erasures  core.ErasureCheck
}

// sum is what a table holds.
type sum struct {
	records int64
	hash    hash.Hash
}

func newAudit(o Options, report *Report) *audit {
	a := &audit{
		options: o, report: report, digest: regexp.MustCompile(`"digest":"([0-9a-f]{64})"`), naming: append(remote.Naming(), pack.Kind),
		sums: map[string]*sum{}, chains: map[string]core.Head{}, ended: map[string]bool{}, snapshots: map[string]core.Head{}, hinted: map[string]bool{},
		projects: map[string]bool{}, runs: map[string]bool{}, slots: map[string]bool{}, pooled: map[string]bool{}, named: map[string]string{},
	}
	for _, t := range store.Tables() {
		a.sums[t.Name] = &sum{hash: sha256.New()}
	}
	return a
}

func (r *Report) fault(o Options, f Fault) {
	r.Faults = append(r.Faults, f)
	if o.Fault != nil {
		o.Fault(f)
	}
}

func (a *audit) fault(kind FaultKind, of, advice, format string, args ...any) {
	a.report.fault(a.options, Fault{Kind: kind, Of: of, Problem: fmt.Sprintf(format, args...), Advice: advice})
}

// note looks at a record.
func (a *audit) note(r store.Record) (err error) {
	if a.line, err = r.AppendTo(a.line[:0]); err != nil {
		return err
	}
	s := a.sums[r.Table.Name]
	s.records++
	s.hash.Write(a.line)
	switch r.Table.Name {
	case store.TableSnapshots:
		a.snapshots[r.Text("stream")] = core.Head{Seq: r.Integer("seq"), Hash: r.Text("hash"), At: r.Moment("at")}
	case store.TableEvents:
		a.event(r)
	case store.TableHeads:
		a.head(r)
	case store.TableHints:
		a.hinted[r.Text("stream")] = true
	case store.TableSlots:
		a.slots[r.Text("holder")], _ = r.Value("held").(bool)
	case store.TablePools:
		a.pool(r)
	case store.TableDocuments:
		a.document(r)
	case store.TableVersions:
		if last := r.Integer("last"); last < a.newest {
			a.fault(FaultRow, "documents", adviseDerived, "a document has version %d, and the newest ever is said to be %d", a.newest, last)
		}
	case store.TableRuns:
		a.run(r)
	case store.TableTasks, store.TableMessages:
		if run := r.Text("run_id"); !a.runs[run] {
			a.fault(FaultRow, core.RunStream(run), adviseDerived, "a row of %s is of a run that has none itself", r.Table.Name)
		}
	case store.TableProjects:
		delete(a.projects, r.Text("id"))
	}
	return nil
}

// event verifies that an event follows the one before it in its stream, and notes what it names.
func (a *audit) event(r store.Record) {
	stream, stored := r.Text("stream"), core.Head{Seq: r.Integer("seq"), Hash: r.Text("hash"), At: r.Moment("at")}
	before := a.chains[stream]
	a.chains[stream] = stored // so that what follows is judged by itself
	if snapshot, has := a.snapshots[stream]; has && snapshot.Seq == stored.Seq && snapshot.Hash == stored.Hash {
		delete(a.snapshots, stream)
	}
	e, err := r.Event()
	if err != nil {
		a.unreadable(stream, stored.Seq, err)
		return
	}
	now, err := core.VerifyChain(before, []core.Event{e})
	switch {
	case err != nil:
		a.broke(stream, "%v", err)
	case now.Hash != stored.Hash:
		a.broke(stream, "event %d is not what was committed: its hash is another", e.Seq)
	}
	if err := a.erasures.Note(e); err != nil {
		a.unreadable(stream, stored.Seq, err)
		return
	}
	if e.Erased() { // and names nothing any more
		return
	}
	body, err := core.Decode(e)
	if err != nil {
		a.unreadable(stream, stored.Seq, err)
		return
	}
	if _, is := body.(core.ProjectRegistered); is {
		a.projects[strings.TrimPrefix(stream, core.ProjectStream(""))] = true
	}
	for _, digest := range core.Objects(body) {
		a.names(digest, fmt.Sprintf("event %d of %s", e.Seq, stream))
	}
}

func (a *audit) broke(stream, format string, args ...any) {
	a.fault(FaultChain, stream, adviseRestore, format, args...)
}

func (a *audit) unreadable(stream string, seq int64, err error) {
	advice := adviseRestore
	if errors.Is(err, core.ErrUnreadable) {
		advice = adviseVersion
	}
	a.fault(FaultFormat, stream, advice, "event %d cannot be read, so nobody knows which objects it names: %v", seq, err)
}

func (a *audit) names(digest, who string) {
	if a.named[digest] == "" {
		a.named[digest] = who
	}
}

// head compares where a stream is said to end with where its events do.
func (a *audit) head(r store.Record) {
	stream := r.Text("stream")
	a.ended[stream] = true
	end, said := a.chains[stream], core.Head{Seq: r.Integer("seq"), Hash: r.Text("hash"), At: r.Moment("at")}
	if end.Seq != said.Seq || end.Hash != said.Hash {
		a.fault(FaultChain, stream, adviseRestore, "it is said to end with event %d, and does with event %d", said.Seq, end.Seq)
	}
}

func (a *audit) pool(r store.Record) {
	holder := r.Text("holder")
	a.pooled[holder] = true
	held, known := a.slots[holder]
	if here, _ := r.Value("held").(bool); !known || here != held {
		a.fault(FaultRow, "slots of "+holder, adviseDerived, "pool %s knows something else of it than the queue", r.Text("pool"))
	}
}

func (a *audit) document(r store.Record) {
	a.newest = max(a.newest, r.Integer("version"))
	kind, key := r.Text("kind"), r.Text("key")
	if !slices.Contains(a.naming, kind) {
		return
	}
	who := "document " + kind + " " + key
	if digest := path.Base(key); object.CheckDigest(digest) == nil {
		a.names(digest, who)
	}
	for _, found := range a.digest.FindAllSubmatch(r.Bytes("data"), -1) {
		a.names(string(found[1]), who)
	}
}

// run compares the row of a run with its stream: a row is as of the newest event.
func (a *audit) run(r store.Record) {
	id := r.Text("id")
	a.runs[id] = true
	stream := core.RunStream(id)
	end := a.chains[stream]
	switch updated := r.Moment("updated_at"); {
	case end.Seq == 0:
		a.fault(FaultRow, stream, adviseDerived, "it has a row and no events")
	case !updated.Equal(end.At):
		a.fault(FaultRow, stream, adviseDerived, "its row is as of %s, its newest event of %s", updated, end.At)
	}
}

// conclude looks for what is missing.
func (a *audit) conclude() {
	for _, stream := range slices.Sorted(maps.Keys(a.chains)) {
		if !a.ended[stream] {
			a.broke(stream, "it has %d events, and is said to have none", a.chains[stream].Seq)
		}
		if id, is := strings.CutPrefix(stream, core.RunStream("")); is && !a.runs[id] {
			a.fault(FaultRow, stream, adviseDerived, "it has events and no row")
		}
		if !a.hinted[stream] {
			a.fault(FaultRow, stream, adviseDerived, "nobody would be told to look at it: it has no hint")
		}
		if s, unconfirmed := a.snapshots[stream]; unconfirmed {
			a.fault(FaultRow, stream, adviseDerived, "its snapshot is as of event %d, which is another now", s.Seq)
		}
		if id, is := strings.CutPrefix(stream, core.ProjectStream("")); is && a.projects[id] {
			a.fault(FaultRow, stream, adviseDerived, "it is registered and has no row")
		}
	}
	for _, f := range a.erasures.Faults() {
		a.broke(f.Stream, "it %s", f.Text)
	}
	for _, holder := range slices.Sorted(maps.Keys(a.slots)) {
		if !a.pooled[holder] {
			a.fault(FaultRow, "slots of "+holder, adviseDerived, "it is in the queue for no pool")
		}
	}
	a.report.Streams, a.report.Objects = len(a.chains), len(a.named)
	a.report.Counts = nil
	for _, t := range store.Tables() {
		s := a.sums[t.Name]
		a.report.Counts = append(a.report.Counts, Count{t.Name, s.records, hex.EncodeToString(s.hash.Sum(nil))})
	}
}
