// Package store is the contract for keeping events and what is derived from
// them. Implementations live in subpackages and must pass the suite in
// storetest; nothing here decides anything. It must not interpret a run beyond
// the columns of its projections.
package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// Errors a caller decides by.
var (
	// ErrStale means a stream or document moved on since the caller read it: load and try again.
	ErrStale = errors.New("changed since it was read")
	// ErrNotFound means there is no such row.
	ErrNotFound = errors.New("not found")
	// ErrFenced means that the project has another owner than the one who asks.
	ErrFenced = errors.New("another engine owns the project")
	// ErrNewer means the database was written by a newer version.
	ErrNewer = errors.New("database is from a newer version")
)

// ClaimHeld says that a claim could not be taken. Nothing was committed.
type ClaimHeld struct {
	Claim  core.Claim
	Holder string // one of those who hold it
}

func (e *ClaimHeld) Error() string {
	return fmt.Sprintf("%s is held by %s", e.Claim, e.Holder)
}

// SlotsTaken says which attempts cannot have their slots now. Nothing was committed.
type SlotsTaken struct {
	Full []Full // at least one
}

// Full is a pool of which an attempt found no slot.
type Full struct {
	Holder string // who wanted one
	Pool   core.SlotPool
	By     string // one of those who hold them
}

func (e *SlotsTaken) Error() string {
	return fmt.Sprintf("%s: all slots of %s are taken", e.Full[0].Holder, e.Full[0].Pool.Key)
}

// RunOpen says that a project has a run that is not over. Nothing was committed.
type RunOpen struct {
	Alias string // of one such run
}

func (e *RunOpen) Error() string { return "run " + e.Alias + " is open" }

// BudgetSpent says that a run may not go on within its project's limits.
// Nothing was committed.
type BudgetSpent struct {
	Project string
	Others  core.Spent // by the project's other runs
	At      time.Time  // by when
}

func (e *BudgetSpent) Error() string {
	return fmt.Sprintf("a limit of project %s is reached", e.Project)
}

// Budget holds a step of a run to the limits of its project: what the run has
// spent and holds itself, and all other runs of the project as the store knows
// them, must be allowed.
type Budget struct {
	Project, Run string
	Share        core.Spent // of the run itself, as of this commit
	At           time.Time  // of the commit: until then active runs have worked
	Intent       core.Intent
	Limits       core.ProjectLimits
}

// Commit is one step of one stream, applied whole or not at all.
type Commit struct {
	Stream  string
	Of      string // the project that the stream belongs to, whose owner its hint is for
	Fence   int64  // of the owner on whose behalf it is committed; 0 for anybody's word
	After   int64  // sequence number the stream must stand at
	Events  []core.Event
	Given   []Position // what the step was judged by besides its own stream
	Idle    string     // a project that must have no open run; "" if it does not matter
	Acquire []core.Claim
	Release []core.Claim
	// Free names the holders that give up their slots, or their place in the
	// queue. Take are slots that must be free now. Queue are those to wait for. Both are
	// named as if attempts ran at Place, where whoever commits has its own: the pools are
	// those of the place of the project's owner, if one holds it. "" for Place leaves them.
	Place   string
	Free    []string
	Take    []core.Slots
	Queue   []core.Slots
	Budget  *Budget    // nil if no limit of a project is to hold
	Spends  bool       // the run has used more, or begun to work: the other active runs of its project that are Limited get a hint
	DueAt   *time.Time // when the stream wants to be looked at again; nil for never
	Run     *RunRow    // projections, nil if unchanged
	Project *ProjectRow
	Tasks   []TaskRow // rows to insert or replace
	// Messages are what the events add to the project's conversation.
	Messages []MessageRow
	// Conversations are those that the events open or name.
	Conversations []ConversationRow
	// Progress, if set, brings the row of the project that the run drives up
	// to date. A project that is not registered has no row.
	Progress *Progress
	// Attended means that whoever commits owns the project and looks at the stream
	// afterwards without being told to: its hint is raised, for the case that they do
	// not live to, and is among Hints, but nobody is signalled.
	Attended bool
	// Standing, if set, brings the row of a project up to date with what
	// people decided about it.
	Standing *Standing
	// Snapshot, if set, replaces the stream's snapshot.
	Snapshot *Snapshot
	// Erase, if set, removes the content of a project, which the events record.
	Erase *Erasure
}

// Erasure says what a commit removes. Of the events of Streams up to the numbers there, core.Erase is left, but for
// core.ProjectErased itself. The rows of their runs keep what is no content: ids, status, times and amounts, and have
// ErasedTitle. What else the store has of the project goes: its row, tasks, messages, conversations, snapshots and
// remembered verdicts, the documents whose key is its id or that of a run of Streams or begins with it and a slash, and
// notices and forms about those runs. Nobody is told to look at the runs any more.
type Erasure struct {
	Project string
	Streams []core.ErasedStream
}

// Runs are the ids of the runs of which something is erased.
func (e Erasure) Runs() []string {
	runs := []string{}
	for _, s := range e.Streams {
		if kind, id := core.StreamKind(s.Stream); kind == "run" {
			runs = append(runs, id)
		}
	}
	return runs
}

// ErasedTitle is the title of a run whose content was erased.
const ErasedTitle = "(erased)"

// ErasureKind is the kind of the documents that say which projects were erased, by their ids: engines remove what they
// have of those on their machines. Erasing leaves them.
const ErasureKind = "erasure"

// Kinds of documents that are erased with a run that they name: what people were told, in the second part of their keys, and what
// came of forms that were sent, in their data.
const (
	NoticeKind = "notice"
	FormKind   = "form"
)

// Position is where a stream stands, 0 if it has no events.
type Position struct {
	Stream string
	Seq    int64
}

// Snapshot is a stream's folded state at a sequence number. It is derived: a
// snapshot of another Format is ignored and the events are read instead.
type Snapshot struct {
	Head   core.Head
	Format int
	State  []byte
}

// Hint says that a stream wants to be looked at, and nothing more.
type Hint struct {
	Stream  string
	Project string // that the stream belongs to
	Fence   int64  // of the project's owner
	Seq     int64  // how often it was raised; pass it to Rest
	DueSeq  int64  // above 0 if its time has come, rather than an event: which of its times
	Head    int64  // number of the stream's last event: a look that knows it sees everything the hint was raised for
}

// RunRow is the projection of a run for lists, totals and limits. It is a shape
// of its own because lists must not fold every run, and its columns are what SQL
// selects and sums by.
type RunRow struct {
	ID, Alias, Project, Title, Goal, Issue string
	Status                                 core.RunStatus
	Reason, Stage                          string
	Branch, Base, URL                      string
	Isolation                              string
	Attempts                               int
	CostUSD                                float64
	Unpriced                               int // attempts that did not say what they cost
	Tokens                                 int64
	HeldUSD                                float64 // reserved by attempts under way and not spent
	HeldTokens                             int64
	Limited                                bool          // held to limits of its project
	Worked                                 time.Duration // by UpdatedAt; an active run works on
	StartedAt, UpdatedAt                   time.Time
	EndedAt                                *time.Time
}

// ProjectRow is the projection of a project. Its totals are those of all its runs
// and tasks, and follow from their rows: who commits the project's own does not
// set them. LastActivity is at least when one of its runs moved on last.
type ProjectRow struct {
	ID, Name, RepoURL, DefaultBranch, IntegrationBranch string
	Status                                              core.RunStatus
	CurrentEpic                                         string
	LastActivity, CreatedAt                             time.Time
	CreatedBy                                           string
	TotalTasks, CompletedTasks, FailedTasks             int
	TotalCostUSD                                        float64
	Unpriced                                            int // attempts that are not in it
	PRURL                                               string
	PRNumber                                            int
	Playbook                                            string // that drives it if none is named
	Paused                                              string // why a person paused it; "" if nobody did
	Reason                                              string // why the run that drives it waits
	ArchivedAt                                          *time.Time
	Queued, Refused                                     int // epics
}

// Standing is what people decided about a project. While Paused says why, its
// status is "paused", whatever its run does.
type Standing struct {
	Project, Name, Playbook, Paused string
	ArchivedAt                      *time.Time
	Queued, Refused                 int
	At                              time.Time
}

// Progress is how far a run has brought its project.
type Progress struct {
	Project, Epic, Branch string
	Status                core.RunStatus
	Reason                string // why the run waits
	At                    time.Time
	PRURL                 string
	PRNumber              int
}

// TaskStatus is how a task stands in lists.
type TaskStatus string

const (
	TaskPending   TaskStatus = "pending"
	TaskRunning   TaskStatus = "running"
	TaskCompleted TaskStatus = "completed"
	TaskFailed    TaskStatus = "failed"
)

// TaskRow is the projection of a task.
type TaskRow struct {
	ID, Run, Addressee, Project, Kind    string
	Status                               TaskStatus
	Prompt, RepoURL, Branch, TriggeredBy string
	CreatedBy                            string
	CreatedAt                            time.Time
	StartedAt, CompletedAt               *time.Time
	Result                               []byte // JSON
	Worker                               string
}

// MessageRow is a piece of a project's conversation.
type MessageRow struct {
	Project, Run string
	Seq          int64  // of the event in the run's stream
	Event        string // its id
	core.Said
	At time.Time
}

// ConversationRow is a conversation of a project. The first, which every project
// has, is known by the project's id. What was said in it follows from the messages.
type ConversationRow struct {
	ID, Project, Name, CreatedBy string
	CreatedAt                    time.Time
	Messages                     int
	LastAt                       time.Time // zero if nothing was said
}

// MessageFilter narrows a project's conversation.
type MessageFilter struct {
	Project      string
	Conversation string // id; all of the project's if empty
	After        string // event; only what follows it
	Last         bool   // the newest of it, if there is more than Limit; After is ignored
	Limit        int    // 0 for all
}

// DaySpent is what the runs of a project that began on a day have used.
type DaySpent struct {
	Day            time.Time // its beginning
	Project        string
	Runs, Attempts int
	CostUSD        float64
	Unpriced       int // attempts that are not in it
	Tokens         int64
}

// Filter narrows a list of runs. Zero values match everything.
type Filter struct {
	Project string
	Open    bool           // only runs that are not over
	Status  core.RunStatus // only those of this status
	Before  string         // id of a run; only those that come after it in the list
	Limit   int
}

// RunTotals is what the runs of a project come to.
type RunTotals struct {
	Runs      int
	CostUSD   float64
	Unpriced  int // attempts that are not in it
	Tokens    int64
	UpdatedAt time.Time // when one of them moved on last; zero if there is none
}

// SlotRow is an attempt that has its slots, or waits for them.
type SlotRow struct {
	core.Slots
	Stream string
	Since  time.Time // it asked for them
	Held   bool
}

// Store keeps streams of events, and in the same transaction the projections,
// hints and claims that follow from them. All methods are safe for concurrent
// use. A method that returns nil has made its effect durable: a crash of the
// program or the machine afterwards does not undo it.
type Store interface {
	// Now is the database's clock: the only one events are stamped with.
	Now(ctx context.Context) (time.Time, error)

	// Commit appends events and everything that follows from them. It fails
	// with ErrFenced if Fence is no longer that of the project's owner, with ErrStale if the stream does not stand at After or one of Given has
	// moved, with *RunOpen if the project that must be idle has an open run, with
	// *ClaimHeld if a claim cannot be taken, with *SlotsTaken, which names all of
	// them, if slots cannot, and with *BudgetSpent if the
	// project's runs have used what they may. All of this is judged in the
	// transaction: of two commits that exclude each other, one fails. Claims already held by the same
	// holder are taken again without effect; releasing a claim raises the hint
	// of every stream that waits for its key. Committing an event raises the
	// stream's own hint, and signals unless the commit is attended.
	//
	// Slots are handed on, not fought for. A freed slot goes in the same
	// transaction, before Take is judged, to one of those in the queue whose pools
	// all have room: of the project that holds fewest of its first pool, and
	// among those to who has waited longest. Its stream's hint is raised and
	// signalled, and nobody else's. Whoever is put into the queue while all its
	// pools have room is handed its slots at once. So nobody is ever in the queue
	// while all its pools have room, and no pool has more holders than the
	// newest of them allowed. Taking what the holder has already, and
	// queueing a holder that has or waits for the same, has no effect; a holder
	// whose limits have changed keeps its place. One whose pools are others
	// gives up what it had, except for a pool that it needs still and gets
	// together with its new ones: nobody in the queue comes before it there.
	Commit(ctx context.Context, c Commit) error

	// Await notes that a stream waits for a claim to be released. It is to be
	// called before the claim is tried again, so that no release is missed.
	Await(ctx context.Context, stream string, claim core.Claim) error

	// Events reads a stream in order, from the event after `after`.
	Events(ctx context.Context, stream string, after int64, limit int) ([]core.Event, error)
	// Head is where a stream stands; the zero Head if it has no events.
	Head(ctx context.Context, stream string) (core.Head, error)
	// Snapshot is the stream's newest snapshot, ErrNotFound if it has none.
	Snapshot(ctx context.Context, stream string) (Snapshot, error)

	// Hints lists up to limit hints that are pending or due, oldest first, of the
	// projects that an engine owns. It does not take them: the engine keeps from
	// looking twice at once at a stream, and sees a hint until Rest.
	Hints(ctx context.Context, engine string, limit int) ([]Hint, error)
	// Raised is how often a stream's hint was raised, and the events after a sequence
	// number, all of them if limit is 0: a look that begins now and knows them sees
	// everything the hint was raised for, and may pass that to Rest.
	Raised(ctx context.Context, stream string, after int64, limit int) (raised int64, news []core.Event, err error)
	// Raise raises the hint of a stream for a reason that is no event, and signals. One
	// that nothing was ever committed to has none.
	Raise(ctx context.Context, stream string) error
	// Rest ends a look: the stream is done up to h.Seq, and the time of h.DueSeq
	// has been told. An event committed since then keeps the hint pending, and a time
	// set since then stays. ErrFenced if the project has another owner by now.
	Rest(ctx context.Context, h Hint) error
	// NextDue is the earliest time after a moment that any stream wants to be looked
	// at; nil for none.
	NextDue(ctx context.Context, after time.Time) (*time.Time, error)
	// Signals delivers one whenever a hint may be pending. Signals may be lost or
	// doubled; Hints and Adrift are the truth.
	Signals() <-chan struct{}

	Run(ctx context.Context, idOrAlias string) (RunRow, error)
	// Runs lists runs, the newest first. It fails with ErrNotFound if Before is
	// none of them.
	Runs(ctx context.Context, f Filter) ([]RunRow, error)
	// RunTotals sums up all runs of a project.
	RunTotals(ctx context.Context, project string) (RunTotals, error)
	// Project finds a project by its id, or the oldest of a name.
	Project(ctx context.Context, idOrName string) (ProjectRow, error)
	// Projects lists projects, the one where something happened last first.
	Projects(ctx context.Context, limit int) ([]ProjectRow, error)
	Tasks(ctx context.Context, run string) ([]TaskRow, error)
	// Messages reads the conversation of a project over all its runs, the oldest
	// first. It fails with ErrNotFound if After is none of it.
	Messages(ctx context.Context, f MessageFilter) ([]MessageRow, error)
	// Conversations lists those of a project, the first first.
	Conversations(ctx context.Context, project string) ([]ConversationRow, error)
	// Questions lists what was asked in runs that are not over and nobody has
	// answered, in all projects, the oldest first.
	Questions(ctx context.Context) ([]MessageRow, error)
	// About lists the questions whose ids begin with prefix and their answers, of
	// all runs, the oldest first.
	About(ctx context.Context, prefix string) ([]MessageRow, error)
	// TaskCounts counts the tasks of all runs of a project by their status.
	TaskCounts(ctx context.Context, project string) (map[string]int, error)
	Claims(ctx context.Context) ([]core.Claim, error)
	// Holders lists who holds a key, by name.
	Holders(ctx context.Context, kind core.ClaimKind, key string) ([]string, error)
	// Slots lists who holds slots and who waits for them, the longest first; of
	// one stream, or of all if it is "".
	Slots(ctx context.Context, stream string) ([]SlotRow, error)
	// PlaceInLine is where a holder stands among those that wait for the same first
	// pool, in the order in which they would be served now, from 1; 0 if it does
	// not wait.
	PlaceInLine(ctx context.Context, holder string) (int, error)
	// Spent is what the runs of a project have used and hold in all, but for one of them.
	// Those that are active have worked until the given moment.
	Spent(ctx context.Context, project, except string, at time.Time) (core.Spent, error)

	// Spending is what runs have used that began at since or later, by project
	// and by the day, UTC, on which they began; the oldest day first, and then by
	// project.
	Spending(ctx context.Context, since time.Time) ([]DaySpent, error)

	// Recall finds a remembered verdict of a check; ErrNotFound if there is none.
	Recall(ctx context.Context, key string) ([]byte, error)
	// Remember keeps a verdict. It is derived and may be forgotten at any time.
	Remember(ctx context.Context, key string, verdict []byte) error

	Documents
	Owners
	Heads
	Copies

	// Scrub has nothing left in the database's own files of what Commit erased before, as far as the database does that. What
	// copies of those files have stays there.
	Scrub(ctx context.Context) error
	// Backup writes a consistent copy of the database to path while in use.
	Backup(ctx context.Context, path string) error
	Close() error
}
