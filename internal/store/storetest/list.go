package storetest

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/store"
)

// wantRuns is what a filter leaves of runs that are listed the newest first.
func wantRuns(newestFirst []store.RunRow, f store.Filter) string {
	ids, reached := "", f.Before == ""
	for _, r := range newestFirst {
		fits := reached && (f.Project == "" || r.Project == f.Project) && (f.Status == "" || r.Status == f.Status) && (!f.Open || !r.Status.Terminal())
		if fits && (f.Limit == 0 || len(ids) < f.Limit) {
			ids += r.ID
		}
		reached = reached || r.ID == f.Before
	}
	return ids
}

// testRunFilters lists runs by every combination of filters. Several began in
// the same moment, and they were stored in no order.
func testRunFilters(t *testing.T, open Open) {
	s := open(t)
	var rows []store.RunRow
	for i, id := range strings.Split("dbfhacgepomnlkji", "") {
		r := store.RunRow{ID: id, Alias: []string{"odd", "even"}[i%2], Project: []string{"p", "q", "p"}[i%3], StartedAt: moment(i / 8), UpdatedAt: moment(9)}
		r.Status = []core.RunStatus{"active", "completed", "failed", "cancelled", "paused", "active", "awaiting_approval"}[i%7]
		push(t, s, core.RunStream(id), func(c *store.Commit) { c.Run = &r })
		rows = append(rows, r)
	}
	slices.SortFunc(rows, func(a, b store.RunRow) int { return cmp.Or(b.StartedAt.Compare(a.StartedAt), cmp.Compare(b.ID, a.ID)) })
	for _, f := range runFilters() {
		list, err := s.Runs(t.Context(), f)
		got := ""
		for _, r := range list {
			got += r.ID
		}
		if want := wantRuns(rows, f); err != nil || got != want {
			t.Errorf("%+v: %q, %v, want %q", f, got, err, want)
		}
	}
	for alias, want := range map[string]string{"odd": "p", "even": "o"} {
		if r, err := s.Run(t.Context(), alias); err != nil || r.ID != want {
			t.Errorf("alias %s: %q, %v, want the newest, %s", alias, r.ID, err, want)
		}
	}
}

func runFilters() []store.Filter {
	all := []store.Filter{{}}
	each := func(n int, set func(*store.Filter, int)) {
		var next []store.Filter
		for _, f := range all {
			for i := range n {
				set(&f, i)
				next = append(next, f)
			}
		}
		all = next
	}
	each(3, func(f *store.Filter, i int) { f.Project = []string{"", "p", "q"}[i] })
	each(2, func(f *store.Filter, i int) { f.Open = i == 1 })
	each(4, func(f *store.Filter, i int) { f.Status = []core.RunStatus{"", "active", "completed", "none"}[i] })
	each(5, func(f *store.Filter, i int) { f.Before = []string{"", "p", "j", "h", "a"}[i] })
	each(3, func(f *store.Filter, i int) { f.Limit = []int{0, 1, 3}[i] })
	return all
}

// testMessageFilters reads a project's conversations by every combination of
// filters: what was said in the same moment by run and then in its order.
func testMessageFilters(t *testing.T, open Open) {
	s := open(t)
	var all []store.MessageRow
	for i := range 24 {
		said := core.Said{Kind: core.SaidMessage, Voice: core.VoiceUser, By: "me", Text: fmt.Sprint(i), Conversation: []string{"", "p-c1", "p-c2"}[i%3]} // several of a run in each, and in one moment
		all = append(all, speak(t, s, []string{"b", "a", "c", "a"}[i%4], i/12, said))
	}
	slices.SortFunc(all, func(a, b store.MessageRow) int {
		return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.Run, b.Run), cmp.Compare(a.Seq, b.Seq))
	})
	for _, in := range []string{"", "p", "p-c1", "p-c2"} {
		for after := 0; after <= len(all); after += 3 {
			for _, limit := range []int{0, 1, 3} {
				f := store.MessageFilter{Project: "p", Conversation: in, Limit: limit}
				if after > 0 {
					f.After = all[after-1].Event
				}
				wantMessages(t, s, f, all[after:])
				f.Last = true
				wantMessages(t, s, f, all) // wherever it is read from
			}
		}
	}
}

// wantMessages reads by a filter, and wants what it leaves of the messages that come into question.
func wantMessages(t *testing.T, s store.Store, f store.MessageFilter, from []store.MessageRow) {
	t.Helper()
	want := []string{}
	for _, m := range from {
		if f.Conversation == "" || cmp.Or(m.Conversation, m.Project) == f.Conversation {
			want = append(want, m.Text)
		}
	}
	if f.Limit > 0 && len(want) > f.Limit {
		if f.Last {
			want = want[len(want)-f.Limit:]
		} else {
			want = want[:f.Limit]
		}
	}
	rows, err := s.Messages(t.Context(), f)
	got := []string{}
	for _, m := range rows {
		got = append(got, m.Text)
	}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%+v: %q, %v, want %q", f, got, err, want)
	}
}

// testSameMoment: lists of what was made in the same moment have one order,
// whatever was stored first.
func testSameMoment(t *testing.T, open Open) {
	s := open(t)
	for _, id := range []string{"b", "d", "a", "c"} {
		push(t, s, core.ProjectStream(id), func(c *store.Commit) {
			c.Project = &store.ProjectRow{ID: id, Name: "shop", LastActivity: moment(1), CreatedAt: moment(1)}
			c.Conversations = []store.ConversationRow{{ID: "talk-" + id, Project: "a", Name: id, CreatedAt: moment(1)}}
			c.Acquire = []core.Claim{hold(id, 9), {Kind: core.ClaimSlot, Key: id, Holder: "h", Limit: 1}}
		})
		push(t, s, core.RunStream(id), func(c *store.Commit) {
			c.Run = &store.RunRow{ID: id, Alias: "otter", Project: "a", Status: "active", StartedAt: moment(1), UpdatedAt: moment(1)}
			c.Tasks = []store.TaskRow{{ID: "task-" + id, Run: "a", Project: "a", Status: "pending", CreatedAt: moment(1)}}
		})
		speak(t, s, id, 1, core.Said{Kind: core.SaidQuestion, Voice: core.VoiceGreen, Text: id, Question: map[string]string{"a": "q-4", "b": "q-3", "c": "q-2", "d": "q-1"}[id]})
	}
	push(t, s, core.ProjectStream("e"), func(c *store.Commit) {
		c.Project = &store.ProjectRow{ID: "e", Name: "shop", LastActivity: moment(2), CreatedAt: moment(0)}
	})
	wantOrder := func(list, want string, got []string, err error) {
		t.Helper()
		if err != nil || strings.Join(got, " ") != want {
			t.Errorf("%s: %q, %v, want %q", list, got, err, want)
		}
	}
	for limit, want := range map[int]string{0: "e a b c d", 3: "e a b"} {
		projects, err := s.Projects(t.Context(), limit)
		wantOrder("projects", want, names(projects, func(p store.ProjectRow) string { return p.ID }), err)
	}
	talks, err := s.Conversations(t.Context(), "a")
	wantOrder("conversations", "a talk-a talk-b talk-c talk-d", names(talks, func(c store.ConversationRow) string { return c.ID }), err)
	tasks, err := s.Tasks(t.Context(), "a")
	wantOrder("tasks", "task-a task-b task-c task-d", names(tasks, func(r store.TaskRow) string { return r.ID }), err)
	questions, err := s.Questions(t.Context())
	wantOrder("questions", "a b c d", names(questions, func(m store.MessageRow) string { return m.Text }), err)
	about, err := s.About(t.Context(), "q-")
	wantOrder("about questions", "a b c d", names(about, func(m store.MessageRow) string { return m.Text }), err)
	claims, err := s.Claims(t.Context())
	wantOrder("claims", "branch p:main a/9 branch p:main b/9 branch p:main c/9 branch p:main d/9 slot a h/1 slot b h/1 slot c h/1 slot d h/1",
		names(claims, func(c core.Claim) string { return fmt.Sprintf("%s %s %s/%d", c.Kind, c.Key, c.Holder, c.Limit) }), err)
	if p, err := s.Project(t.Context(), "shop"); err != nil || p.ID != "e" {
		t.Errorf("a name of several: %q, %v, want the oldest", p.ID, err)
	}
	if _, err := s.Runs(t.Context(), store.Filter{Before: "otter"}); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("after an alias: %v, want it to be an id", err)
	}
}

func names[T any](list []T, name func(T) string) []string {
	all := make([]string, len(list))
	for i, item := range list {
		all[i] = name(item)
	}
	return all
}
