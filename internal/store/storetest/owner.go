package storetest

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/store"
	"github.com/stellwerk-dev/stellwerk/internal/waittest"
)

// of makes a commit one of a project.
func of(project string) func(*store.Commit) {
	return func(c *store.Commit) { c.Of = project }
}

func enlist(t *testing.T, s store.Store, engine string, lease time.Duration) []store.Owner {
	t.Helper()
	owned, err := s.Enlist(t.Context(), store.Engine{ID: engine, Host: "host of " + engine}, lease)
	if err != nil {
		t.Fatalf("enlist %s: %v", engine, err)
	}
	return owned
}

func renew(t *testing.T, s store.Store, engine string) []store.Owner {
	t.Helper()
	owned, err := s.Renew(t.Context(), engine, waittest.Limit)
	if err != nil {
		t.Fatalf("renew %s: %v", engine, err)
	}
	return owned
}

// projects names what is owned, with its fence.
func projects(owned []store.Owner) string {
	var all []string
	for _, o := range owned {
		all = append(all, fmt.Sprintf("%s#%d", o.Project, o.Fence))
	}
	return fmt.Sprint(all)
}

func testOwnerOne(t *testing.T, open Open) {
	a, b := open(t), open(t)
	enlist(t, a, "a", waittest.Limit)
	enlist(t, b, "b", waittest.Limit)
	push(t, a, "run/x", of("p"))
	push(t, a, "run/y", of("p"))
	push(t, a, "run/z", of("q"))
	if adrift, err := b.Adrift(t.Context(), "", 0); err != nil || projects(adrift) != "[p#0 q#0]" {
		t.Fatalf("adrift are %+v, %v", adrift, err)
	}
	if adrift, err := b.Adrift(t.Context(), "", 1); err != nil || len(adrift) != 1 {
		t.Fatalf("one of those adrift: %+v, %v", adrift, err)
	}
	taken, err := a.Take(t.Context(), "a", waittest.Limit, []string{"p"})
	if err != nil || projects(taken) != "[p#1]" || taken[0].Engine != "a" {
		t.Fatalf("a took %+v, %v", taken, err)
	}
	if taken, err := b.Take(t.Context(), "b", waittest.Limit, []string{"p", "q"}); err != nil || projects(taken) != "[q#1]" {
		t.Fatalf("b took %+v, %v; p is another's", taken, err)
	}
	if adrift, err := b.Adrift(t.Context(), "", 0); err != nil || len(adrift) != 0 {
		t.Fatalf("adrift are %+v, %v", adrift, err)
	}
	if taken, err := a.Take(t.Context(), "a", waittest.Limit, []string{"p"}); err != nil || projects(taken) != "[p#2]" {
		t.Fatalf("a took its own: %+v, %v", taken, err)
	}
	if got := projects(renew(t, a, "a")) + projects(renew(t, b, "b")); got != "[p#2][q#1]" {
		t.Errorf("they own %s", got)
	}
}

// testOwnerLease lets one engine take what another had whose lease has run out, and tells that one so. What nobody took
// stays its own.
func testOwnerLease(t *testing.T, open Open) {
	a, b := open(t), open(t)
	enlist(t, a, "a", time.Millisecond)
	enlist(t, b, "b", waittest.Limit)
	for _, project := range []string{"p", "q"} {
		if taken, err := a.Take(t.Context(), "a", time.Millisecond, []string{project}); err != nil || len(taken) != 1 {
			t.Fatalf("a took %+v, %v", taken, err)
		}
	}
	eventually(t, "a lease runs out", func() bool {
		adrift, err := b.Adrift(t.Context(), "", 0)
		return err == nil && projects(adrift) == "[p#1 q#1]" && adrift[0].Engine == "a" && adrift[0].Host == "host of a"
	})
	if taken, err := b.Take(t.Context(), "b", waittest.Limit, []string{"p"}); err != nil || projects(taken) != "[p#2]" {
		t.Fatalf("b took %+v, %v", taken, err)
	}
	if owned := renew(t, a, "a"); projects(owned) != "[q#1]" {
		t.Errorf("a still owns %+v", owned)
	}
	if taken, err := b.Take(t.Context(), "b", waittest.Limit, []string{"q"}); err != nil || len(taken) != 0 {
		t.Errorf("b took %+v, %v, of an engine that came back", taken, err)
	}
}

// testOwnerInherits gives an engine back at once what it owned in an earlier life, of which nothing counts any more.
func testOwnerInherits(t *testing.T, open Open) {
	before, after := open(t), open(t)
	enlist(t, before, "a", waittest.Limit)
	push(t, before, "run/x", of("p"))
	w := claimOne(t, before, "a", "run/x")
	if owned := enlist(t, after, "a", waittest.Limit); projects(owned) != "[p#2]" {
		t.Fatalf("after a restart it owns %+v", owned)
	}
	wantErr(t, before.Rest(t.Context(), w), store.ErrFenced)
	_, renewed := before.Renew(t.Context(), "a", waittest.Limit)
	_, taken := before.Take(t.Context(), "a", waittest.Limit, []string{"q"})
	for _, err := range []error{renewed, taken, before.Leave(t.Context(), "a")} {
		wantErr(t, err, store.ErrFenced)
	}
	if adrift, err := after.Adrift(t.Context(), "", 0); err != nil || len(adrift) != 0 {
		t.Errorf("the earlier life gave back %+v, %v", adrift, err)
	}
	rest(t, after, "a", claimOne(t, after, "a", "run/x"))
}

// testOwnerLeaves lets others have at once what an engine leaves, although nothing of it is to be looked at.
func testOwnerLeaves(t *testing.T, open Open) {
	s := open(t)
	push(t, s, "run/x", of("p"))
	rest(t, s, "a", claimOne(t, s, "a", "run/x"))
	enlist(t, s, "b", waittest.Limit)
	if taken := takeAll(t, s, "b", waittest.Limit); len(taken) != 0 {
		t.Fatalf("b took %+v", taken)
	}
	if err := s.Leave(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	if taken := takeAll(t, s, "b", waittest.Limit); projects(taken) != "[p#2]" {
		t.Fatalf("b took %+v", taken)
	}
	if owned := enlist(t, s, "a", waittest.Limit); len(owned) != 0 {
		t.Errorf("a has back what another took: %+v", owned)
	}
}

// testAdriftPieces lists every project that is adrift, in pieces, each from where the one before it ended: those that nobody
// ever owned, those that were given back and those of engines that are gone, and none that has an owner.
func testAdriftPieces(t *testing.T, open Open) {
	s := open(t)
	enlist(t, s, "well", waittest.Limit)
	enlist(t, s, "gone", waittest.Limit)
	enlist(t, s, "left", waittest.Limit)
	var want []string
	for n := range 15 {
		project := fmt.Sprintf("p%02d", n)
		push(t, s, core.RunStream(project), of(project), row(project, project, "active"))
		owner := []string{"well", "gone", "left", "", "back"}[n%5]
		if owner != "well" {
			want = append(want, project)
		}
		if owner == "" {
			continue
		}
		back := owner == "back"
		if back {
			owner = "well"
		}
		taken, err := s.Take(t.Context(), owner, waittest.Limit, []string{project})
		if err == nil && back {
			err = s.Yield(t.Context(), taken)
		}
		if err != nil || len(taken) != 1 {
			t.Fatalf("%s took %+v, %v", owner, taken, err)
		}
	}
	if _, err := s.Renew(t.Context(), "gone", -time.Second); err != nil { // its lease has run out
		t.Fatal(err)
	}
	if err := s.Leave(t.Context(), "left"); err != nil {
		t.Fatal(err)
	}
	const piece = 4
	var got []string
	for first := ""; ; {
		adrift, err := s.Adrift(t.Context(), first, piece)
		if err != nil || len(adrift) > piece {
			t.Fatalf("from %q: %+v, %v", first, adrift, err)
		}
		for _, o := range adrift {
			if len(got) == 0 || got[len(got)-1] != o.Project { // each piece begins with the last of the one before
				got = append(got, o.Project)
			}
		}
		if len(adrift) < piece {
			break
		}
		first = got[len(got)-1]
	}
	if !slices.Equal(got, want) {
		t.Errorf("adrift are %v, want %v", got, want)
	}
}

// testEngines lists who enlisted, with what each owns, and tells those whose lease has ended from the living.
func testEngines(t *testing.T, open Open) {
	s := open(t)
	list := func() string {
		t.Helper()
		all, err := s.Engines(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		text := ""
		for _, m := range all {
			text += fmt.Sprintf("%s %q at %q alive=%v leased=%v %v; ", m.ID, m.Host, m.Place, m.Alive, !m.Until.IsZero(), m.Projects)
		}
		return text
	}
	if got := list(); got != "" {
		t.Fatalf("before anybody enlisted there are %s", got)
	}
	enlist(t, s, "b", waittest.Limit)
	if _, err := s.Enlist(t.Context(), store.Engine{ID: "a", Host: "h", Place: "here"}, waittest.Limit); err != nil {
		t.Fatal(err)
	}
	push(t, s, "run/x", of("p"))
	push(t, s, "run/z", of("q"))
	if _, err := s.Take(t.Context(), "a", waittest.Limit, []string{"q", "p"}); err != nil {
		t.Fatal(err)
	}
	if got, want := list(), `a "h" at "here" alive=true leased=true [p q]; b "host of b" at "" alive=true leased=true []; `; got != want {
		t.Errorf("engines are %s, not %s", got, want)
	}
	all, err := s.Engines(t.Context())
	if err != nil || len(all) != 2 {
		t.Fatalf("%d engines, %v", len(all), err)
	}
	now, err := s.Now(t.Context())
	if left := all[0].Until.Sub(now); err != nil || left <= 0 || left > waittest.Limit+time.Minute {
		t.Errorf("a lease of %s has %s left, %v", waittest.Limit, left, err)
	}
	if err := s.Leave(t.Context(), "b"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Renew(t.Context(), "a", -time.Second); err != nil { // it has run out
		t.Fatal(err)
	}
	if got, want := list(), `a "h" at "here" alive=false leased=true [p q]; b "host of b" at "" alive=false leased=false []; `; got != want {
		t.Errorf("engines are %s, not %s", got, want)
	}
}

// testOwnerOf names the engine that owns a project: no other one, and none that has lost or given back its lease or the project.
func testOwnerOf(t *testing.T, open Open) {
	s := open(t)
	of := func(project, want string) {
		t.Helper()
		e, err := s.OwnerOf(t.Context(), project)
		if want == "" {
			wantErr(t, err, store.ErrNotFound)
		} else if err != nil || e.ID != want || e.Host != "host of "+want {
			t.Errorf("%s is owned by %+v, %v, want %s", project, e, err, want)
		}
	}
	of("p", "")
	enlist(t, s, "a", waittest.Limit)
	enlist(t, s, "b", waittest.Limit)
	for engine, project := range map[string]string{"a": "p", "b": "q"} {
		if _, err := s.Take(t.Context(), engine, waittest.Limit, []string{project}); err != nil {
			t.Fatal(err)
		}
	}
	of("p", "a")
	of("q", "b")
	if err := s.Yield(t.Context(), renew(t, s, "b")); err != nil {
		t.Fatal(err)
	}
	of("q", "")
	if _, err := s.Renew(t.Context(), "a", -time.Second); err != nil { // it has run out
		t.Fatal(err)
	}
	of("p", "")
	if _, err := s.Take(t.Context(), "b", waittest.Limit, []string{"p"}); err != nil {
		t.Fatal(err)
	}
	of("p", "b")
}

// testOwnerForgotten forgets engines that own nothing, have no lease and did not begin lately, and no others.
func testOwnerForgotten(t *testing.T, open Open) {
	s := open(t)
	for _, id := range []string{"well", "owner", "lost", "left"} {
		enlist(t, s, id, waittest.Limit)
	}
	if _, err := s.Take(t.Context(), "owner", waittest.Limit, []string{"p"}); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"owner", "lost"} {
		if _, err := s.Renew(t.Context(), id, -2*time.Hour); err != nil { // its lease has run out
			t.Fatal(err)
		}
	}
	if err := s.Leave(t.Context(), "left"); err != nil {
		t.Fatal(err)
	}
	forget := func(silent time.Duration, want ...string) {
		t.Helper()
		if gone, err := s.Forget(t.Context(), silent); err != nil || !slices.Equal(gone, want) {
			t.Fatalf("forgotten are %q, %v, want %q", gone, err, want)
		}
	}
	forget(time.Hour) // all of them began lately
	forget(-time.Second, "left", "lost")
	forget(-time.Second)
	all, err := s.Engines(t.Context())
	if err != nil || len(all) != 2 || all[0].ID != "owner" || all[1].ID != "well" {
		t.Errorf("%+v are left, %v", all, err)
	}
	if lives, err := s.Documents(t.Context(), "engine-life", "", "", 0); err != nil || len(lives) != 2 {
		t.Errorf("%d lives are left, %v", len(lives), err)
	}
	_, err = s.Renew(t.Context(), "lost", waittest.Limit)
	wantErr(t, err, store.ErrFenced)
	enlist(t, s, "lost", waittest.Limit)
	if taken, err := s.Take(t.Context(), "lost", waittest.Limit, []string{"p"}); err != nil || projects(taken) != "[p#2]" {
		t.Errorf("after it has come back it took %+v, %v", taken, err)
	}
	forget(-time.Second, "owner")
}

// testOwnerYields has nobody own a project that was given back until there is something to be done, and raises the
// hints of its open runs.
func testOwnerYields(t *testing.T, open Open) {
	s := open(t)
	push(t, s, "run/x", of("p"), row("x", "p", "active"))
	push(t, s, "run/y", of("q"), row("y", "q", "completed"))
	for _, w := range claim(t, s, "a", waittest.Limit) {
		rest(t, s, "a", w)
	}
	owned := renew(t, s, "a")
	if err := s.Yield(t.Context(), []store.Owner{{Project: "p", Fence: 9}}); err != nil || projects(renew(t, s, "a")) != "[p#1 q#1]" {
		t.Fatalf("given back under another's fence: %v", err)
	}
	drain(s)
	if err := s.Yield(t.Context(), owned); err != nil {
		t.Fatal(err)
	}
	wantSignal(t, s, "after a project was given back")
	if owned := renew(t, s, "a"); len(owned) != 0 {
		t.Errorf("a still owns %+v", owned)
	}
	adrift, err := s.Adrift(t.Context(), "", 0)
	if err != nil || projects(adrift) != "[p#1]" || adrift[0].Engine != "a" {
		t.Fatalf("adrift are %+v, %v, want the project with an open run", adrift, err)
	}
	push(t, s, "run/y", of("q"))
	enlist(t, s, "b", waittest.Limit)
	if taken := takeAll(t, s, "b", waittest.Limit); projects(taken) != "[p#2 q#2]" {
		t.Errorf("b took %+v", taken)
	}
}

// row gives a run's commit the run's row.
func row(id, project, status string) func(*store.Commit) {
	return func(c *store.Commit) {
		c.Run = &store.RunRow{ID: id, Alias: id, Project: project, Status: core.RunStatus(status)}
	}
}

// testOwnerIdle says of which projects there is nothing open.
func testOwnerIdle(t *testing.T, open Open) {
	s := open(t)
	push(t, s, "run/x", of("p"), row("x", "p", "paused"))
	push(t, s, "run/y", of("q"), row("y", "q", "completed"))
	push(t, s, "project/r", of("r"), func(c *store.Commit) { c.Project = &store.ProjectRow{ID: "r", Name: "r", Queued: 1} })
	enlist(t, s, "a", waittest.Limit)
	takeAll(t, s, "a", waittest.Limit)
	for _, o := range renew(t, s, "a") {
		if o.Idle != (o.Project == "q") {
			t.Errorf("project %s is idle: %v", o.Project, o.Idle)
		}
	}
}

func testOwnerUnknown(t *testing.T, open Open) {
	s := open(t)
	_, err := s.Renew(t.Context(), "nobody", waittest.Limit)
	wantErr(t, err, store.ErrNotFound)
	_, err = s.Take(t.Context(), "nobody", waittest.Limit, []string{"p"})
	wantErr(t, err, store.ErrNotFound)
	if err := s.Leave(t.Context(), "nobody"); err != nil {
		t.Error(err)
	}
}

// testFence refuses what an owner commits after another has taken the project, and everything of an engine that
// never owned it; anybody's word is taken.
func testFence(t *testing.T, open Open) {
	s := open(t)
	fenced := func(project string, fence int64) func(*store.Commit) {
		return func(c *store.Commit) { c.Of, c.Fence = project, fence }
	}
	try := func(change func(*store.Commit)) error {
		head, err := s.Head(t.Context(), "run/x")
		if err != nil {
			t.Fatal(err)
		}
		events, _ := seal(t, s, "run/x", head, tick(1))
		c := store.Commit{Stream: "run/x", After: head.Seq, Events: events}
		change(&c)
		return s.Commit(t.Context(), c)
	}
	wantErr(t, try(fenced("p", 1)), store.ErrFenced)
	push(t, s, "run/x", of("p"))
	enlist(t, s, "a", waittest.Limit)
	takeAll(t, s, "a", waittest.Limit)
	push(t, s, "run/x", fenced("p", 1))
	wantErr(t, try(fenced("p", 2)), store.ErrFenced)
	if err := s.Leave(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	push(t, s, "run/x", fenced("p", 1)) // nobody has taken it yet
	enlist(t, s, "b", waittest.Limit)
	takeAll(t, s, "b", waittest.Limit)
	wantErr(t, try(fenced("p", 1)), store.ErrFenced)
	push(t, s, "run/x", fenced("p", 2))
	push(t, s, "run/x", of("p"))
	if err := s.Yield(t.Context(), renew(t, s, "b")); err != nil {
		t.Fatal(err)
	}
	wantErr(t, try(fenced("p", 2)), store.ErrFenced)
	if head, err := s.Head(t.Context(), "run/x"); err != nil || head.Seq != 5 {
		t.Errorf("it stands at %d, %v, want what was not refused", head.Seq, err)
	}
}

// testOwnerRace lets engines take the same projects at the same time, again and again: each has one owner, and never two
// the same fence.
func testOwnerRace(t *testing.T, open Open) {
	const engines, rounds = 4, 10
	names := []string{"p", "q", "r"}
	var mu sync.Mutex
	fences := map[string][]int64{}
	var racing sync.WaitGroup
	for i := range engines {
		s, name := open(t), fmt.Sprint("engine-", i)
		enlist(t, s, name, waittest.Limit)
		racing.Go(func() {
			for range rounds {
				taken, err := s.Take(t.Context(), name, waittest.Limit, names)
				if err != nil {
					t.Error(err)
				}
				mu.Lock()
				for _, o := range taken {
					fences[o.Project] = append(fences[o.Project], o.Fence)
				}
				mu.Unlock()
				if err := s.Yield(t.Context(), taken); err != nil {
					t.Error(err)
				}
			}
		})
	}
	racing.Wait()
	for project, had := range fences {
		slices.Sort(had)
		for i, fence := range had {
			if fence != int64(i)+1 {
				t.Fatalf("%s was owned under %v", project, had)
			}
		}
	}
}

func testMoves(t *testing.T, open Open) {
	a, b := open(t), open(t)
	start, err := a.Position(t.Context())
	if err != nil || start != 0 {
		t.Fatalf("begins at %d, %v", start, err)
	}
	push(t, a, "run/x")
	push(t, b, "run/y")
	push(t, a, "run/x")
	streams, at, err := b.Moved(t.Context(), start, 10)
	now, perr := a.Position(t.Context())
	if err != nil || perr != nil || !slices.Equal(streams, []string{"run/x", "run/y"}) || at != now {
		t.Fatalf("moved %q up to %d of %d, %v, %v", streams, at, now, err, perr)
	}
	var pieces []string
	for at = start; at < now; {
		streams, next, err := a.Moved(t.Context(), at, 1)
		if err != nil || next <= at {
			t.Fatalf("from %d to %d: %v", at, next, err)
		}
		pieces, at = append(pieces, streams...), next
	}
	if !slices.Equal(pieces, []string{"run/x", "run/y", "run/x"}) {
		t.Errorf("one by one: %q", pieces)
	}
	if streams, at, err := a.Moved(t.Context(), now, 10); err != nil || len(streams) != 0 || at != now {
		t.Errorf("after the last: %q up to %d, %v", streams, at, err)
	}
}

// testMovedRuns lists the runs of one project, and no stream but theirs.
func testMovedRuns(t *testing.T, open Open) {
	a, b := open(t), open(t)
	move := func(s store.Store, run, project string) {
		t.Helper()
		row := store.RunRow{ID: run, Alias: run, Project: project, Status: core.StatusActive}
		push(t, s, core.RunStream(run), of(project), func(c *store.Commit) { c.Run = &row })
	}
	moved := func(after int64, want ...string) {
		t.Helper()
		if runs, err := b.MovedRuns(t.Context(), "p", after); err != nil || !slices.Equal(runs, want) {
			t.Errorf("after %d: %q, %v, want %q", after, runs, err, want)
		}
	}
	moved(0)
	move(a, "y", "p")
	move(b, "x", "p")
	move(a, "z", "q")
	push(t, a, core.ProjectStream("p"), of("p"))
	moved(0, "x", "y")
	now, err := a.Position(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	moved(now)
	move(a, "z", "q")
	move(a, "x", "p")
	moved(now, "x")
}

// testMovesConcurrent lets one follow while others commit: it hears of every stream after its last event.
func testMovesConcurrent(t *testing.T, open Open) {
	const engines, each = 3, 20
	var moving sync.WaitGroup
	var left atomic.Int64
	left.Store(engines)
	for i := range engines {
		s := open(t)
		moving.Go(func() {
			defer left.Add(-1)
			for range each {
				push(t, s, fmt.Sprint("run/", i))
			}
		})
	}
	s := open(t)
	seen := map[string]int64{}
	for at, done := int64(0), false; !done; {
		done = left.Load() == 0 // what is heard after this is all
		streams, next, err := s.Moved(t.Context(), at, 7)
		if err != nil {
			t.Fatal(err)
		}
		for _, stream := range streams {
			head, err := s.Head(t.Context(), stream)
			if err != nil {
				t.Fatal(err)
			}
			seen[stream] = head.Seq
		}
		done, at = done && next == at, next
	}
	moving.Wait()
	for i := range engines {
		if seen[fmt.Sprint("run/", i)] != each {
			t.Errorf("heard last of run/%d at %d", i, seen[fmt.Sprint("run/", i)])
		}
	}
}
