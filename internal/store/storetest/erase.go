package storetest

import (
	"bytes"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/store"
)

// secret is in everything that people and agents wrote in a project, and kept in the project beside it.
const secret, kept = "Zarzuela", "Bergamotte"

// erasable fills a project and its run with content, and returns what is to be left of their streams.
func erasable(t *testing.T, s store.Store, project, run, words string) []core.ErasedStream {
	t.Helper()
	at := time.Unix(1000, 0).UTC()
	commit := func(c store.Commit, bodies ...core.Body) core.ErasedStream {
		now, err := s.Now(t.Context())
		must(t, err)
		var head core.Head
		for _, b := range bodies {
			var e core.Event
			e, head, err = core.Seal(c.Stream, head, now, core.Person(words), "", b)
			must(t, err)
			c.Events = append(c.Events, e)
		}
		if c.Snapshot != nil {
			c.Snapshot.Head = head
		}
		must(t, s.Commit(t.Context(), c))
		var left core.Residue
		for _, e := range c.Events {
			must(t, left.Add(e))
		}
		return left.Sum()
	}
	due := at.Add(time.Hour)
	streams := []core.ErasedStream{
		commit(store.Commit{
			Stream: core.ProjectStream(project), Of: project, Project: &store.ProjectRow{ID: project, Name: words, RepoURL: words, Status: core.StatusActive, LastActivity: at, CreatedAt: at, CreatedBy: words},
			Acquire: []core.Claim{core.NameClaim(project, words)}, Conversations: []store.ConversationRow{{ID: project + "c", Project: project, Name: words, CreatedAt: at}},
		}, core.ProjectRegistered{Project: project, Name: words}),
		commit(store.Commit{
			Stream: core.RunStream(run), Of: project, DueAt: &due, Snapshot: &store.Snapshot{Format: 1, State: []byte(words)},
			Run: &store.RunRow{ID: run, Alias: words, Project: project, Title: words, Goal: words, Issue: words, Status: core.StatusCompleted, Reason: words, Stage: words, Branch: words, Base: words, URL: words,
				Attempts: 2, CostUSD: 1.5, Tokens: 7, StartedAt: at, UpdatedAt: at, EndedAt: &at},
			Tasks:    []store.TaskRow{{ID: "t", Run: run, Project: project, Status: store.TaskCompleted, Prompt: words, RepoURL: words, Result: []byte(`"` + words + `"`), CreatedAt: at}},
			Messages: []store.MessageRow{{Project: project, Run: run, Seq: 1, Event: run + "#1", Said: core.Said{Kind: core.SaidGoal, By: words, Text: words}, At: at}},
		}, core.TimerFired{Timer: words}, core.RunCancelled{Reason: words}),
	}
	must(t, s.Remember(t.Context(), "check of "+run, []byte(words)))
	must(t, s.Await(t.Context(), core.RunStream(run), core.ProjectClaim(project, "")))
	for kind, key := range map[string]string{
		"draft": run + "/ada", "trace": run, "pack": project + "/d", "unfit": project, store.NoticeKind: "question/" + run + "/q1", store.ErasureKind: project,
		store.FormKind: "form of " + run,
	} {
		data := words
		switch kind {
		case store.ErasureKind:
			data = "stays"
		case store.FormKind:
			data = `{"id":"` + run + `","goal":"` + words + `"}`
		}
		_, err := s.PutDocument(t.Context(), store.Document{Kind: kind, Key: key, Data: []byte(data)})
		must(t, err)
	}
	return streams
}

func erasing(t *testing.T, s store.Store, project string, streams []core.ErasedStream) store.Commit {
	t.Helper()
	head, err := s.Head(t.Context(), core.ProjectStream(project))
	must(t, err)
	now, err := s.Now(t.Context())
	must(t, err)
	e, _, err := core.Seal(core.ProjectStream(project), head, now, core.Person("ada"), "", core.ProjectErased{Events: 3, Streams: streams})
	must(t, err)
	c := store.Commit{
		Stream: core.ProjectStream(project), Of: project, After: head.Seq, Events: []core.Event{e}, Idle: project,
		Release: []core.Claim{core.NameClaim(project, secret)}, Erase: &store.Erasure{Project: project, Streams: streams},
	}
	for _, of := range streams[1:] {
		c.Given = append(c.Given, store.Position{Stream: of.Stream, Seq: of.Seq})
	}
	return c
}

// testErase: nothing that was written in a project is left, everything beside it is, and the chains hold.
func testErase(t *testing.T, open Open) {
	s, other := open(t), open(t)
	heads := map[string]core.Head{}
	erasable(t, s, "p2", "r2-of-p2", kept)
	beside := map[string]int{}
	for r, err := range s.Export(t.Context()) {
		must(t, err)
		line, err := r.AppendTo(nil)
		must(t, err)
		if bytes.Contains(line, []byte(kept)) {
			beside[r.Table.Name]++
		}
	}
	delete(beside, "verdicts") // all are forgotten
	streams := erasable(t, s, "p1", "r1-of-p1", secret)
	for _, of := range streams {
		head, err := s.Head(t.Context(), of.Stream)
		must(t, err)
		heads[of.Stream] = head
	}
	must(t, s.Commit(t.Context(), erasing(t, s, "p1", streams)))
	must(t, s.Scrub(t.Context()))

	left := map[string]int{}
	var check core.ErasureCheck
	for r, err := range other.Export(t.Context()) {
		must(t, err)
		line, err := r.AppendTo(nil)
		must(t, err)
		if bytes.Contains(line, []byte(secret)) {
			t.Errorf("%s still has the content: %q", r.Table.Name, line)
		}
		if bytes.Contains(line, []byte(kept)) {
			left[r.Table.Name]++
		}
		if r.Table.Name == store.TableEvents {
			e, err := r.Event()
			must(t, err)
			must(t, check.Note(e))
			if hash, err := e.Hash(); err != nil || hash != r.Text("hash") {
				t.Errorf("event %s has the hash %s, and %s beside it: %v", e.ID, hash, r.Text("hash"), err)
			}
		}
	}
	if diff := cmp.Diff(beside, left); diff != "" {
		t.Errorf("the project beside it is not as it was: %s", diff)
	}
	if faults := check.Faults(); len(faults) != 0 || check.Events() != 3 || len(check.Records()) != 1 {
		t.Errorf("%+v, %d events, %+v", faults, check.Events(), check.Records())
	}
	for stream, head := range heads {
		events, err := other.Events(t.Context(), stream, 0, int(head.Seq))
		must(t, err)
		if end, err := core.VerifyChain(core.Head{}, events); err != nil || end != head {
			t.Errorf("%s ends at %+v, not %+v: %v", stream, end, head, err)
		}
		for _, e := range events {
			if !e.Erased() || e.Actor != (core.Actor{Kind: core.ActorPerson}) || e.Type == "" {
				t.Errorf("left is %+v", e)
			}
		}
	}
	row, err := other.Run(t.Context(), "r1-of-p1")
	must(t, err)
	if row.Title != store.ErasedTitle || row.Alias != "r1-of-p1" || row.Project != "p1" || row.Status != core.StatusCompleted || row.CostUSD != 1.5 || row.Tokens != 7 || row.EndedAt == nil {
		t.Errorf("the row of the run is %+v", row)
	}
	_, err = other.Project(t.Context(), "p1")
	wantErr(t, err, store.ErrNotFound)
	if claims, err := other.Claims(t.Context()); err != nil || len(claims) != 1 {
		t.Errorf("the name is not free: %v, %v", claims, err)
	}
	if due, err := other.NextDue(t.Context(), time.Time{}); err != nil || due == nil {
		t.Errorf("the time of the run beside it is gone: %v, %v", due, err)
	}
	for _, h := range claim(t, other, "e", time.Hour) {
		if h.Stream == core.RunStream("r1-of-p1") {
			t.Errorf("somebody is to look at an erased run: %+v", h)
		}
	}
	if _, err := other.Document(t.Context(), store.ErasureKind, "p1"); err != nil {
		t.Errorf("what tells engines of it is gone: %v", err)
	}
	// What follows is as in any stream.
	head, err := other.Head(t.Context(), core.ProjectStream("p1"))
	must(t, err)
	again, _ := seal(t, other, core.ProjectStream("p1"), head, core.ProjectRegistered{Project: "p1", Name: "n"})
	must(t, other.Commit(t.Context(), store.Commit{Stream: core.ProjectStream("p1"), Of: "p1", After: head.Seq, Events: again}))
}

// testEraseRefused: an erasure that does not hold removes nothing.
func testEraseRefused(t *testing.T, open Open) {
	s := open(t)
	streams := erasable(t, s, "p1", "r1-of-p1", secret)
	for name, spoil := range map[string]func(*store.Commit){
		"the project has moved on": func(c *store.Commit) { c.After++ },
		"its run has moved on":     func(c *store.Commit) { c.Given[0].Seq++ },
	} {
		before := Everything(t, s)
		c := erasing(t, s, "p1", streams)
		spoil(&c)
		if c.After != c.Events[0].Seq-1 {
			c.Events[0].Seq++
		}
		if err := s.Commit(t.Context(), c); !errors.Is(err, store.ErrStale) {
			t.Errorf("%s: %v", name, err)
		}
		if !bytes.Equal(before, Everything(t, s)) {
			t.Errorf("%s: something was removed", name)
		}
	}
	push(t, s, "run/open", func(c *store.Commit) {
		c.Run = &store.RunRow{ID: "open", Alias: "busy", Project: "p1", Status: core.StatusActive}
	})
	before := Everything(t, s)
	var running *store.RunOpen
	if err := s.Commit(t.Context(), erasing(t, s, "p1", streams)); !errors.As(err, &running) || running.Alias != "busy" {
		t.Errorf("a run is open: %v", err)
	}
	if !bytes.Equal(before, Everything(t, s)) {
		t.Error("a run is open, and something was removed")
	}
}
