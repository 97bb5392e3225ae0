package storetest

import (
	"fmt"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/store"
	"github.com/stellwerk-dev/stellwerk/internal/waittest"
)

// Statuses are all that a run can have.
func Statuses() []core.RunStatus {
	return []core.RunStatus{core.StatusActive, core.StatusAwaiting, core.StatusPaused, core.StatusReview, core.StatusCompleted, core.StatusFailed, core.StatusCancelled}
}

// Fill brings a store to a state that has everything a store can hold: runs of every status, some with a time at which they want
// to be looked at, claims and who waits for them, slots and a queue for them, owners that changed, documents that were replaced
// and removed, and text that not every store can keep. No engine's lease is running afterwards.
func Fill(t *testing.T, s store.Store) {
	t.Helper()
	register(t, s, "p0", "p1")
	fillEngines(t, s, "e1", "e2")
	fillClaims(t, s)
	wanted := []core.Slots{slots("r0", "p0", 2, 1), slots("r1", "p1", 2, 0), slots("r2", "p0", 2, 1), slots("r3", "p1", 2, 0)}
	takes(t, s, wanted[:2]...)
	queues(t, s, wanted[2:]...)
	queues(t, s, slots("r5", "p1", 2, 0)) // gone again: the places in the queue have a gap
	frees(t, s, "r5")
	for i, status := range Statuses() {
		fillRun(t, s, fmt.Sprint("r", i), fmt.Sprint("p", i%2), status)
	}
	fillDocuments(t, s)
	must(t, s.Remember(t.Context(), "verdict", []byte(`{"passed":true}`)))
	changeOwners(t, s)
}

func register(t *testing.T, s store.Store, projects ...string) {
	t.Helper()
	for i, id := range projects {
		push(t, s, core.ProjectStream(id), func(c *store.Commit) {
			row := store.ProjectRow{
				ID: id, Name: "a\x00b\xffc", RepoURL: "https://example.org/" + id, DefaultBranch: "main", Status: "active", CreatedAt: c.Events[0].At,
				LastActivity: c.Events[0].At, CreatedBy: "ada", Playbook: "feature", Queued: i, PRURL: "https://example.org/pull/1", PRNumber: 1,
			}
			c.Of, c.Project = id, &row
			c.Conversations = []store.ConversationRow{{ID: "c-" + id, Project: id, Name: "beside", CreatedBy: "ada", CreatedAt: c.Events[0].At}}
		})
	}
}

func fillEngines(t *testing.T, s store.Store, engines ...string) {
	t.Helper()
	for _, id := range engines {
		_, err := s.Enlist(t.Context(), store.Engine{ID: id, Host: "host of " + id, Place: "place of " + id}, waittest.Limit)
		must(t, err)
	}
	_, err := s.Take(t.Context(), engines[0], waittest.Limit, []string{"p0", "p1"})
	must(t, err)
}

// fillRun gives a run several events, and rows in which nothing is empty.
func fillRun(t *testing.T, s store.Store, id, project string, status core.RunStatus) {
	t.Helper()
	stream := core.RunStream(id)
	for n := range 3 {
		push(t, s, stream, func(c *store.Commit) {
			e := c.Events[0]
			row := store.RunRow{
				ID: id, Alias: "calm-" + id, Project: project, Title: "Greet\x00", Goal: "say hello", Issue: "#7", Status: status, Reason: "why",
				Stage: "build", Branch: "feature/" + id, Base: "main", URL: "https://example.org", Isolation: "sandbox", Attempts: n, CostUSD: 0.1 * float64(n),
				Unpriced: n, Tokens: 1 << 40, HeldUSD: 0.3, HeldTokens: 5, Limited: true, Worked: time.Minute, StartedAt: e.At, UpdatedAt: e.At,
			}
			if status.Terminal() {
				row.EndedAt = &e.At
			}
			c.Of, c.Run = project, &row
			c.Tasks = []store.TaskRow{fillTask(id, project, n, e.At)}
			c.Messages = []store.MessageRow{{Project: project, Run: id, Seq: e.Seq, Event: e.ID, At: e.At, Said: core.Said{
				Kind: core.SaidQuestion, Voice: core.VoiceGreen, By: "x", Text: "which?", Question: "q-" + id, Default: "no", Due: moment(9), Conversation: "c-" + project,
			}}}
			if n == 1 {
				state := []byte{0, 0xff, byte(n)}
				hash, err := e.Hash()
				must(t, err)
				c.Snapshot = &store.Snapshot{Head: core.Head{Seq: e.Seq, Hash: hash, At: e.At}, Format: 3<<32 | 1, State: state}
			}
			if status == core.StatusPaused || status == core.StatusActive {
				due := moment(60 + n)
				c.DueAt = &due
			}
		})
	}
}

func fillTask(run, project string, n int, at time.Time) store.TaskRow {
	task := store.TaskRow{
		ID: fmt.Sprint("t", n), Run: run, Addressee: "worker", Project: project, Kind: "build", Status: store.TaskRunning, Prompt: "do", RepoURL: "u", Branch: "b",
		CreatedBy: "engine", CreatedAt: at, StartedAt: &at, Worker: "w",
	}
	if n > 0 {
		task.Status, task.CompletedAt, task.Result, task.TriggeredBy = store.TaskCompleted, &at, []byte(`{"a" : 1.50, "b":"\u0000"}`), fmt.Sprint("t", n-1)
	}
	return task
}

func fillClaims(t *testing.T, s store.Store) {
	t.Helper()
	claim := core.Claim{Kind: core.ClaimBranch, Key: "p0/main", Holder: "r0", Limit: 1}
	must(t, about(t, s, "r0", store.Commit{Acquire: []core.Claim{claim, {Kind: core.ClaimBranch, Key: "p0/other", Holder: "r0", Limit: 2}}}))
	for _, waiter := range []string{"r1", "r2"} {
		must(t, s.Await(t.Context(), core.RunStream(waiter), claim))
	}
}

func fillDocuments(t *testing.T, s store.Store) {
	t.Helper()
	putDocument(t, s, "k", "empty", 0, "")
	d := putDocument(t, s, "k", "b", 0, "first")
	putDocument(t, s, "k", "b", d.Version, "second\x00\xff")
	putDocument(t, s, "k", "ä", 0, "text")
	gone := putDocument(t, s, "kk", "gone", 0, "the newest version is nobody's")
	must(t, s.DeleteDocument(t.Context(), "kk", "gone", gone.Version))
}

// changeOwners has one engine look at a run, give its projects back and leave, and another take one.
func changeOwners(t *testing.T, s store.Store) {
	t.Helper()
	hints, err := s.Hints(t.Context(), "e1", 0)
	must(t, err)
	for _, h := range hints {
		if h.Stream == core.RunStream("r6") {
			rest(t, s, "e1", h)
		}
	}
	owned, err := s.Renew(t.Context(), "e1", waittest.Limit)
	must(t, err)
	must(t, s.Yield(t.Context(), owned))
	_, err = s.Take(t.Context(), "e2", waittest.Limit, []string{"p1"})
	must(t, err)
	for _, engine := range []string{"e1", "e2"} {
		must(t, s.Leave(t.Context(), engine))
	}
}
