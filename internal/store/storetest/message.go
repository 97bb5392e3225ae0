package storetest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/store"
)

// speak commits what was said to a run, in the order of the clock n.
func speak(t *testing.T, s store.Store, run string, n int, said core.Said) store.MessageRow {
	t.Helper()
	var row store.MessageRow
	push(t, s, core.RunStream(run), func(c *store.Commit) {
		e := c.Events[0]
		row = store.MessageRow{Project: "p", Run: run, Seq: e.Seq, Event: e.ID, Said: said, At: moment(n)}
		c.Messages = []store.MessageRow{row}
	})
	return row
}

// testMessages: a conversation goes over all runs of its project, and can be
// read on from any place in it.
func testMessages(t *testing.T, open Open) {
	s := open(t)
	var all []store.MessageRow
	for i := range 5 {
		said := core.Said{Kind: core.SaidMessage, Voice: core.VoiceUser, By: "me", Text: fmt.Sprint("line\n", i)}
		all = append(all, speak(t, s, []string{"a", "b"}[i/3], i/2, said)) // some at the same moment
	}
	full := core.Said{Kind: core.SaidQuestion, Voice: core.VoiceGreen, By: "x", Text: "?", Question: "q-1", Default: "no", Due: moment(9)}
	all = append(all, speak(t, s, "b", 7, full))
	push(t, s, core.RunStream("c"), func(c *store.Commit) {
		c.Messages = []store.MessageRow{{Project: "other", Run: "c", Seq: 1, Event: c.Events[0].ID, At: moment(1)}}
	})
	for _, tt := range []struct {
		filter store.MessageFilter
		want   []store.MessageRow
	}{
		{store.MessageFilter{Project: "p"}, all},
		{store.MessageFilter{Project: "p", Limit: 2}, all[:2]},
		{store.MessageFilter{Project: "p", After: all[0].Event, Limit: 2}, all[1:3]},
		{store.MessageFilter{Project: "p", After: all[3].Event}, all[4:]},
		{store.MessageFilter{Project: "p", After: all[5].Event}, []store.MessageRow{}},
		{store.MessageFilter{Project: "p", Last: true, Limit: 2}, all[4:]},
		{store.MessageFilter{Project: "p", Last: true}, all},
		{store.MessageFilter{Project: "nobody"}, []store.MessageRow{}},
	} {
		got, err := s.Messages(t.Context(), tt.filter)
		if diff := cmp.Diff(tt.want, got); err != nil || diff != "" {
			t.Errorf("%+v: %v\n%s", tt.filter, err, diff)
		}
	}
	for _, project := range []string{"p", "other"} {
		after := map[string]string{"p": "none", "other": all[0].Event}[project]
		_, err := s.Messages(t.Context(), store.MessageFilter{Project: project, After: after})
		wantErr(t, err, store.ErrNotFound)
	}
}

// testConversations: each is a record of its own, and is read alone.
func testConversations(t *testing.T, open Open) {
	s := open(t)
	register := func(id string, n int) {
		push(t, s, core.ProjectStream(id), func(c *store.Commit) {
			c.Project = &store.ProjectRow{ID: id, Name: id, CreatedBy: "ada", CreatedAt: moment(n), LastActivity: moment(n)}
		})
	}
	register("p", 1)
	register("q", 1)
	talk := func(name string) {
		push(t, s, core.ProjectStream("p"), func(c *store.Commit) {
			c.Conversations = []store.ConversationRow{{ID: "p-c1", Project: "p", Name: name, CreatedBy: "bea", CreatedAt: moment(2)}}
		})
	}
	talk("search")
	talk("the search") // it was named anew
	say := func(n int, in string) store.MessageRow {
		return speak(t, s, "a", n, core.Said{Kind: core.SaidMessage, Voice: core.VoiceUser, By: "me", Text: fmt.Sprint(n), Conversation: in})
	}
	all := []store.MessageRow{say(3, ""), say(4, "p-c1"), say(5, ""), say(6, "p-c1")}
	want := []store.ConversationRow{
		{ID: "p", Project: "p", Name: "main", CreatedBy: "ada", CreatedAt: moment(1), Messages: 2, LastAt: moment(5)},
		{ID: "p-c1", Project: "p", Name: "the search", CreatedBy: "bea", CreatedAt: moment(2), Messages: 2, LastAt: moment(6)},
	}
	for project, want := range map[string][]store.ConversationRow{
		"p": want,
		"q": {{ID: "q", Project: "q", Name: "main", CreatedBy: "ada", CreatedAt: moment(1)}}, // nobody has said anything yet
	} {
		got, err := s.Conversations(t.Context(), project)
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%v\n%s", err, diff)
		}
	}
	for _, tt := range []struct {
		filter store.MessageFilter
		want   []store.MessageRow
	}{
		{store.MessageFilter{Project: "p"}, all},
		{store.MessageFilter{Project: "p", Conversation: "p"}, []store.MessageRow{all[0], all[2]}},
		{store.MessageFilter{Project: "p", Conversation: "p-c1", Last: true, Limit: 1}, all[3:]},
		{store.MessageFilter{Project: "p", Conversation: "p-c1", After: all[1].Event}, all[3:]},
		{store.MessageFilter{Project: "q", Conversation: "q"}, []store.MessageRow{}},
		{store.MessageFilter{Project: "q", Conversation: "p-c1"}, []store.MessageRow{}}, // another project's
		{store.MessageFilter{Project: "q", Conversation: "p-c1", Last: true}, []store.MessageRow{}},
	} {
		got, err := s.Messages(t.Context(), tt.filter)
		if diff := cmp.Diff(tt.want, got); err != nil || diff != "" {
			t.Errorf("%+v: %v\n%s", tt.filter, err, diff)
		}
	}
}

// testQuestions: a question is open until it is answered or its run is over,
// and can be asked again in another run.
func testQuestions(t *testing.T, open Open) {
	s := open(t)
	run := func(id string, status core.RunStatus) {
		push(t, s, core.RunStream(id), func(c *store.Commit) {
			c.Run = &store.RunRow{ID: id, Project: "p", Status: status, StartedAt: moment(1), UpdatedAt: moment(1)}
		})
	}
	ask := func(run string, n int, id string) store.MessageRow {
		return speak(t, s, run, n, core.Said{Kind: core.SaidQuestion, Voice: core.VoiceGreen, Text: id + "?", Question: id})
	}
	run("a", "paused")
	run("b", "active")
	run("c", "cancelled")
	late := ask("a", 5, "q-aa1")
	early := ask("b", 2, "q-aa2")
	over := ask("c", 1, "q-b1")
	same := ask("b", 6, "q-aa1")
	want := func(rows ...store.MessageRow) {
		t.Helper()
		got, err := s.Questions(t.Context())
		if diff := cmp.Diff(rows, got); err != nil || diff != "" {
			t.Errorf("%v\n%s", err, diff)
		}
	}
	want(early, late, same)
	answer := speak(t, s, "a", 7, core.Said{Kind: core.SaidAnswer, Text: "yes", Question: "q-aa1"})
	want(early, same)
	for prefix, rows := range map[string][]store.MessageRow{
		"q-aa1": {late, same, answer}, "q-aa": {early, late, same, answer}, "q-b": {over}, "q-c": {}, "q-": {over, early, late, same, answer},
	} {
		got, err := s.About(t.Context(), prefix)
		if diff := cmp.Diff(rows, got); err != nil || diff != "" {
			t.Errorf("about %s: %v\n%s", prefix, err, diff)
		}
	}
	run("b", "completed")
	want([]store.MessageRow{}...)
}

// testQuestionPrefix: a question is found by every beginning of its id, whatever it goes on with, and by nothing else.
func testQuestionPrefix(t *testing.T, open Open) {
	s := open(t)
	push(t, s, core.RunStream("a"), func(c *store.Commit) {
		c.Run = &store.RunRow{ID: "a", Project: "p", Status: "active", StartedAt: moment(1), UpdatedAt: moment(1)}
	})
	ids := []string{"q-c", "q-cf", "q-d", "q-d0", "q-d9", "q-da", "q-df", "q-dff", "q-dz", "q-d~", "q-d\u00e9", "q-e", "q-f"}
	rows := make([]store.MessageRow, len(ids))
	for i, id := range ids {
		rows[i] = speak(t, s, "a", i+2, core.Said{Kind: core.SaidQuestion, Voice: core.VoiceGreen, Text: id + "?", Question: id})
	}
	for _, prefix := range append([]string{"q", "q-", "q-dg", "q-dfff"}, ids...) {
		want := []store.MessageRow{}
		for i, id := range ids {
			if strings.HasPrefix(id, prefix) {
				want = append(want, rows[i])
			}
		}
		got, err := s.About(t.Context(), prefix)
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("about %s: %v\n%s", prefix, err, diff)
		}
	}
}

// testAskedAgain: a question is answered by an answer that follows it in its own run, and by nothing else.
func testAskedAgain(t *testing.T, open Open) {
	s := open(t)
	run := func(id string, status core.RunStatus) {
		push(t, s, core.RunStream(id), func(c *store.Commit) {
			c.Run = &store.RunRow{ID: id, Project: "p", Status: status, StartedAt: moment(1), UpdatedAt: moment(1)}
		})
	}
	n := 0
	say := func(run string, kind core.SaidKind) {
		n++
		speak(t, s, run, n, core.Said{Kind: kind, Voice: core.VoiceUser, Text: "x", Question: "q"})
	}
	want := func(step string, runs ...string) {
		t.Helper()
		rows, err := s.Questions(t.Context())
		if got := names(rows, func(m store.MessageRow) string { return m.Run }); err != nil || !slices.Equal(got, runs) {
			t.Errorf("%s: open in %v, %v, want %v", step, got, err, runs)
		}
	}
	run("a", "active")
	run("b", "active")
	say("a", core.SaidQuestion)
	say("a", core.SaidMessage)
	want("talked about", "a")
	say("b", core.SaidMessage)
	say("b", core.SaidMessage)
	say("b", core.SaidAnswer)
	want("answered in another run", "a")
	say("a", core.SaidAnswer)
	want("answered")
	say("a", core.SaidQuestion)
	want("asked again", "a")
	for _, status := range []core.RunStatus{"paused", "awaiting_approval", "awaiting_review", "active"} {
		run("a", status)
		want(string(status), "a")
	}
	for _, status := range []core.RunStatus{"completed", "failed", "cancelled"} {
		run("a", status)
		want(string(status))
	}
}
