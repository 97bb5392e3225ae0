package engine

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/store"
)

// shelf is a store that has the events of one stream, and nothing else.
type shelf struct {
	store.Store
	events []core.Event
}

func (s *shelf) Events(_ context.Context, _ string, after int64, limit int) ([]core.Event, error) {
	return s.events[min(after, int64(len(s.events))):min(after+int64(limit), int64(len(s.events)))], nil
}

func (s *shelf) add(t *testing.T, stream string, body core.Body) {
	t.Helper()
	head := core.Head{Seq: int64(len(s.events)), At: noon(1)}
	if n := len(s.events); n > 0 {
		hash, err := s.events[n-1].Hash()
		if err != nil {
			t.Fatal(err)
		}
		head.Hash = hash
	}
	ev, _, err := core.Seal(stream, head, noon(1), core.Person("ada"), "", body)
	if err != nil {
		t.Fatal(err)
	}
	s.events = append(s.events, ev)
}

// TestALongHistoryIsReadToItsEnd: of a project and of a run, whatever number of events is read at once.
func TestALongHistoryIsReadToItsEnd(t *testing.T) {
	t.Parallel()
	project, run := &shelf{}, &shelf{}
	project.add(t, core.ProjectStream("p"), core.ProjectRegistered{Project: "p", Name: "shop"})
	run.add(t, core.RunStream("r"), core.RunStarted{Run: "r", Alias: "r", Project: "p", Playbook: core.Playbook{Kind: "phases"}})
	for n := 2; n <= 2*readBatch+1; n++ {
		project.add(t, core.ProjectStream("p"), core.ProjectNamed{Name: fmt.Sprint("shop", n)})
		run.add(t, core.RunStream("r"), core.TimerFired{Timer: fmt.Sprint(n)})
	}
	for _, n := range []int{1, readBatch - 1, readBatch, readBatch + 1, 2 * readBatch, 2*readBatch + 1} {
		last := project.events[n-1]
		hash, err := last.Hash()
		if err != nil {
			t.Fatal(err)
		}
		p, err := New(Options{Store: &shelf{events: project.events[:n]}}).Project(t.Context(), "p")
		want := core.Head{Seq: int64(n), Hash: hash, At: last.At}
		if err != nil || p == nil || p.Stream != want || n > 1 && p.Name != fmt.Sprint("shop", n) {
			t.Errorf("of %d events, the project is %+v, %v", n, p, err)
		}
		was, err := New(Options{Store: run}).At(t.Context(), "r", int64(n))
		if err != nil || was.Stream.Seq != int64(n) {
			t.Errorf("at event %d: %+v, %v", n, was, err)
		}
	}
}

// TestWhatIsTakenAndLetGo: the claims that a step adds and ends, in their order, and of those that stay nothing.
func TestWhatIsTakenAndLetGo(t *testing.T) {
	t.Parallel()
	a, b, c, d := core.Claim{Key: "a"}, core.Claim{Key: "b"}, core.Claim{Key: "c"}, core.Claim{Key: "d"}
	more := a
	more.Limit = 2
	for name, test := range map[string]struct{ before, after, acquire, release []core.Claim }{
		"nothing":      {nil, nil, nil, nil},
		"the same":     {[]core.Claim{a, b}, []core.Claim{b, a}, nil, nil},
		"some":         {[]core.Claim{a, b, c}, []core.Claim{d, b}, []core.Claim{d}, []core.Claim{a, c}},
		"all":          {[]core.Claim{a, b}, nil, nil, []core.Claim{a, b}},
		"the first":    {nil, []core.Claim{b, a}, []core.Claim{b, a}, nil},
		"another size": {[]core.Claim{a}, []core.Claim{more}, []core.Claim{more}, []core.Claim{a}},
	} {
		acquire, release := difference(test.before, test.after)
		if diff := cmp.Diff(test.acquire, acquire) + cmp.Diff(test.release, release); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// TestWhichFailuresAreRefusals: those that are an answer to a word; what cannot be answered now leaves no trace.
func TestWhichFailuresAreRefusals(t *testing.T) {
	t.Parallel()
	for code, want := range map[core.Code]bool{
		core.CodeConflict: true, core.CodeUnlawful: true, core.CodeForbidden: true, core.CodeInvalid: true, core.CodeNotFound: true,
		core.CodeUntrusted: false, core.CodeForked: false, core.CodeUnavailable: false, core.CodeUnsupported: false, core.CodeInternal: false,
	} {
		if got := refusal(core.Errorf(code, "x")); got != want {
			t.Errorf("%s: %v", code, got)
		}
	}
}

// TestWhoGoesIsForgotten: a follower or watcher that has ended costs nothing more.
func TestWhoGoesIsForgotten(t *testing.T) {
	t.Parallel()
	l := live{subscribers: map[*subscriber]struct{}{}}
	one, goes := l.subscribe("run/a")
	other, leaves := l.subscribe("run/b")
	all, ends := l.subscribe("")
	l.publish("run/a")
	l.publish("run/a")
	if len(one.moved) != 1 || len(other.moved) != 0 || len(all.moved) != 1 {
		t.Errorf("told %d, %d and %d times", len(one.moved), len(other.moved), len(all.moved))
	}
	goes()
	if _, left := l.subscribers[other]; !left || len(l.subscribers) != 2 {
		t.Errorf("%d are left", len(l.subscribers))
	}
	leaves()
	ends()
	if len(l.subscribers) != 0 {
		t.Errorf("%d are left", len(l.subscribers))
	}
}

// TestHowOftenARunIsToldOfItsProject: whenever it is something new, and not without end.
func TestHowOftenARunIsToldOfItsProject(t *testing.T) {
	t.Parallel()
	spent := func(n int) error {
		return fmt.Errorf("commit: %w", &store.BudgetSpent{Project: "p", Others: core.Spent{Attempts: n}, At: noon(n)})
	}
	r := &refusals{}
	if r.refusedBy(nil) || r.refusedBy(store.ErrStale) || r.spent != nil {
		t.Errorf("another failure is taken for it: %+v", r)
	}
	for n := range maxDecisions {
		if !r.refusedBy(spent(n)) || *r.spent != (core.ProjectSpent{Others: core.Spent{Attempts: n}, At: noon(n)}) {
			t.Fatalf("%d: told %+v", n, r.spent)
		}
		if r.refusedBy(spent(n)) {
			t.Fatalf("%d: told the same twice", n)
		}
	}
	if r.refusedBy(spent(maxDecisions)) {
		t.Error("it is told without end")
	}
}

// TestTheRowOfAConversation is written when one is opened or named, as it is then.
func TestTheRowOfAConversation(t *testing.T) {
	t.Parallel()
	p := &core.Project{ID: "p", Conversations: []core.Conversation{{ID: "p-c1", Name: "one", By: "eve", At: noon(1)}, {ID: "p-c2", Name: "two", By: "ada", At: noon(2)}}}
	want := []store.ConversationRow{{ID: "p-c2", Project: "p", Name: "two", CreatedBy: "ada", CreatedAt: noon(2)}}
	for _, body := range []core.Body{core.ConversationOpened{ID: "p-c2", Name: "two"}, core.ConversationNamed{ID: "p-c2", Name: "two"}} {
		if diff := cmp.Diff(want, conversationRows(p, body)); diff != "" {
			t.Errorf("%s: %s", core.TypeOf(body), diff)
		}
	}
	if rows := conversationRows(p, core.ProjectNamed{Name: "p-c2"}); rows != nil {
		t.Errorf("something else: %+v", rows)
	}
}

// TestTheHistoryOfTasks has each as it was last, the oldest first.
func TestTheHistoryOfTasks(t *testing.T) {
	t.Parallel()
	h := taskHistory{}
	h.put([]store.TaskRow{{ID: "c", CreatedAt: noon(1), Status: "pending"}, {ID: "b", CreatedAt: noon(2)}, {ID: "a", CreatedAt: noon(2)}})
	h.put([]store.TaskRow{{ID: "c", CreatedAt: noon(1), Status: "completed"}})
	want := []store.TaskRow{{ID: "c", CreatedAt: noon(1), Status: "completed"}, {ID: "a", CreatedAt: noon(2)}, {ID: "b", CreatedAt: noon(2)}}
	if diff := cmp.Diff(want, h.all()); diff != "" {
		t.Error(diff)
	}
}

// TestTheTasksOfEveryStageAreWritten: of all stages in motion, not only the first.
func TestTheTasksOfEveryStageAreWritten(t *testing.T) {
	t.Parallel()
	r := managed(false)
	for _, id := range []string{"a", "b", "c"} {
		r.Stages = append(r.Stages, &core.Stage{ID: id, Tasks: []*core.Task{{ID: id + "1", Status: core.TaskWaiting}, {ID: id + "2", Status: core.TaskRunning}}})
	}
	var ids []string
	for _, row := range taskRows(nil, r, []core.Event{said(t, core.Engine(), core.TimerFired{Timer: "t"})}) {
		ids = append(ids, row.ID)
	}
	if diff := cmp.Diff([]string{"r/a1", "r/a2", "r/b1", "r/b2", "r/c1", "r/c2"}, ids); diff != "" {
		t.Error(diff)
	}
}

// TestWhoHoldsWhatIsWaitedFor: an attempt that waits for slots is told of
// somebody else, not of itself.
func TestWhoHoldsWhatIsWaitedFor(t *testing.T) {
	full := store.Full{Holder: "run/r2/a1", Pool: core.SlotPool{Key: "attempts", Limit: 3}, By: "run/r1/a7"}
	refused := map[string]store.Full{full.Holder: full}
	decider := core.Actor{Kind: core.ActorDecider, ID: "phases"}
	for attempt, want := range map[string]core.Body{
		"a1": core.ClaimRefused{Task: "t", Claim: core.Claim{Kind: core.ClaimSlot, Key: "attempts", Holder: "run/r2/a1", Limit: 3}, Holder: "run/r1/a7"},
		"a2": core.AttemptRequested{Task: "t", Attempt: "a2"},
	} {
		_, got := granted("r2", decider, core.AttemptRequested{Task: "t", Attempt: attempt}, refused)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s:\n%s", attempt, diff)
		}
	}
	if r := (refusals{slots: refused}); r.wait([]store.Full{full}) {
		t.Error("an attempt that has to wait is wanted without end")
	}
}

// TestWhatAStepChangesInTheStore: slots that a run begins to hold are taken, those it waits for are queued for, and what
// it needs no more is given up. What stays the same is left alone, also if its limit is another while it is held.
func TestWhatAStepChangesInTheStore(t *testing.T) {
	t.Parallel()
	of := func(holder string, limit int) core.Slots {
		return core.Slots{Holder: holder, Pools: []core.SlotPool{{Key: "k", Limit: limit}}}
	}
	before := holdings{held: []core.Slots{of("h1", 1), of("h2", 1), of("h3", 1)}, wanted: []core.Slots{of("w1", 1), of("w2", 1), of("w3", 1), of("w4", 1)}}
	after := holdings{held: []core.Slots{of("h1", 1), of("h2", 2), of("w3", 1), of("new", 1)}, wanted: []core.Slots{of("w1", 1), of("w2", 2), of("next", 1)}}
	var c store.Commit
	after.since(before, &c)
	want := store.Commit{
		Take: []core.Slots{of("w3", 1), of("new", 1)}, Queue: []core.Slots{of("w2", 2), of("next", 1)}, Free: []string{"h3", "w4"},
	}
	if diff := cmp.Diff(want, c); diff != "" {
		t.Error(diff)
	}
}

// TestLooksAtOthersProjectsAreForgotten: a look that was put off while the project was this engine's keeps it neither from
// answering others' hints nor, if it owns the project again, from giving it back.
func TestLooksAtOthersProjectsAreForgotten(t *testing.T) {
	t.Parallel()
	l := newLooks()
	for _, project := range []string{"mine", "theirs"} {
		h := store.Hint{Stream: "run/" + project, Project: project, Fence: 1}
		if !l.begin(h) {
			t.Fatal("a first look was put off")
		}
		l.postpone(h, time.Hour)
	}
	l.keep([]store.Owner{{Project: "mine", Fence: 1}})
	if !l.busy("mine") || l.busy("theirs") || l.ask() != lookAtOnce+1 {
		t.Errorf("mine %v, theirs %v, %d are asked for", l.busy("mine"), l.busy("theirs"), l.ask())
	}
}

// TestAProjectThatIsTakenSaysNothingOfOthers: an engine that stood still for longer than its lease takes a project, and does not
// believe for that to own those still that it owned before. When it has asked, it knows.
func TestAProjectThatIsTakenSaysNothingOfOthers(t *testing.T) {
	t.Parallel()
	o := newOwnership(time.Hour)
	long, now := time.Now().Add(-2*time.Hour), time.Now()
	before, taken := store.Owner{Project: "before", Fence: 3}, store.Owner{Project: "taken", Fence: 1}
	o.hold(long, []store.Owner{before})
	o.hold(now, []store.Owner{taken})
	for _, project := range []string{"before", "taken"} {
		if _, mine := o.fence(project); mine {
			t.Errorf("it is certain to own %s", project)
		}
	}
	if len(o.doubted) == 0 {
		t.Error("nobody is asked")
	}
	lost, again := o.confirm(now, []store.Owner{taken})
	if diff := cmp.Diff([][]string{{"before"}, {"taken"}}, [][]string{lost, again}); diff != "" {
		t.Errorf("lost, and to be taken up again:\n%s", diff)
	}
	if _, mine := o.fence("taken"); !mine {
		t.Error("what it asked for is not its own")
	}
	o.hold(now.Add(time.Minute), []store.Owner{{Project: "other", Fence: 1}}) // while it is certain
	if _, mine := o.fence("other"); !mine || !o.asked.Equal(now.Add(time.Minute)) {
		t.Errorf("taken while it was certain: %v, asked at %s", mine, o.asked)
	}
}

// TestWhatTheStoreSaysIsTakenUp: the answer that a project is this engine's may be lost. What another engine has taken since
// the store was asked is not taken up.
func TestWhatTheStoreSaysIsTakenUp(t *testing.T) {
	t.Parallel()
	o := newOwnership(time.Hour)
	o.doubt()
	if o.none() || len(o.doubted) == 0 {
		t.Error("the store is not asked what it has done")
	}
	unheard := store.Owner{Project: "unheard", Fence: 2}
	lost, again := o.confirm(time.Now(), []store.Owner{unheard})
	if fence, mine := o.fence("unheard"); len(lost) > 0 || !slices.Equal(again, []string{"unheard"}) || !mine || fence != 2 {
		t.Errorf("lost %v, taken up %v, owned %v under %d", lost, again, mine, fence)
	}
	o.pass("unheard", 2)
	if _, again = o.confirm(time.Now(), []store.Owner{unheard}); len(again) > 0 || !o.none() {
		t.Errorf("%v is taken up again although another engine has it", again)
	}
	unheard.Fence = 4
	if _, again = o.confirm(time.Now(), []store.Owner{unheard}); len(again) != 1 {
		t.Error("what it has taken back is not taken up")
	}
}
