package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/store"
)

// otherwise changes the database of a store by a connection of its own.
func otherwise(t *testing.T, s *Store, statement string) {
	t.Helper()
	db, err := sql.Open("sqlite", dataSource(s.path, time.Second, false))
	if err != nil {
		t.Fatal(err)
	}
	defer closed(t, db)
	if _, err := db.ExecContext(t.Context(), statement); err != nil {
		t.Fatal(err)
	}
}

// occupied is a database in which a commit finds something to do in every table: run a holds a claim that b waits for,
// b is to be told what a spends, and both are of project p. A second attempt of run waits stands in line behind one of b.
func occupied(t *testing.T) (*Store, core.Head) {
	t.Helper()
	s := openAt(t, filepath.Join(t.TempDir(), "stellwerk.db"), Options{})
	held := core.Claim{Kind: core.ClaimProject, Key: "k", Holder: "run/a", Limit: 1}
	c, head := next(t, s, "run/a", core.Head{})
	c.Acquire, c.Take = []core.Claim{held}, []core.Slots{slots("run/a/1")}
	c.Run = &store.RunRow{ID: "a", Project: "p", Status: "active", StartedAt: s.now(), UpdatedAt: s.now()}
	c.Project = &store.ProjectRow{ID: "p", Name: "shop", CreatedAt: s.now(), LastActivity: s.now()}
	if err := s.Commit(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"b", "waits"} {
		c, _ = next(t, s, "run/"+id, core.Head{})
		c.Run = &store.RunRow{ID: id, Project: "p", Status: "active", Limited: id == "b", StartedAt: s.now(), UpdatedAt: s.now()}
		c.Queue = []core.Slots{slots("run/" + id + "/1")}
		if id == "b" {
			c.Take = []core.Slots{narrow("run/b/2", 1)}
		} else {
			c.Queue = append(c.Queue, narrow("run/waits/2", 1))
		}
		if err := s.Commit(t.Context(), c); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Await(t.Context(), "run/waits", held); err != nil {
		t.Fatal(err)
	}
	return s, head
}

// slots are what an attempt needs of a pool that only one may have.
func slots(holder string) core.Slots {
	return core.Slots{Holder: holder, Project: "p", Pools: []core.SlotPool{{Key: "pool", Limit: 1}}}
}

// narrow are slots of another pool, of which there are as many as the limit says.
func narrow(holder string, limit int) core.Slots {
	return core.Slots{Holder: holder, Project: "p", Pools: []core.SlotPool{{Key: "narrow", Limit: limit}}}
}

// everything is a commit to run a that writes all that a commit can.
func everything(t *testing.T, s *Store, head core.Head) store.Commit {
	t.Helper()
	c, _ := next(t, s, "run/a", head)
	now := s.now()
	c.Release = []core.Claim{{Kind: core.ClaimProject, Key: "k", Holder: "run/a", Limit: 1}}
	c.Acquire = []core.Claim{{Kind: core.ClaimProject, Key: "other", Holder: "run/a", Limit: 1}}
	elsewhere := slots("run/a/2")
	elsewhere.Pools[0].Key = "elsewhere"
	c.Free, c.Take, c.Queue = []string{"run/a/1"}, []core.Slots{elsewhere, narrow("run/waits/2", 2)}, []core.Slots{slots("run/a/3")}
	c.Spends, c.DueAt = true, &now
	c.Run = &store.RunRow{ID: "a", Project: "p", Status: "active", Title: "new", StartedAt: now, UpdatedAt: now}
	c.Project = &store.ProjectRow{ID: "q", Name: "other", CreatedAt: now, LastActivity: now}
	c.Tasks = []store.TaskRow{{ID: "t", Run: "a", Project: "p", Status: "pending", CreatedAt: now}}
	c.Messages = []store.MessageRow{{Project: "p", Run: "a", Seq: c.Events[0].Seq, Event: c.Events[0].ID, At: now}}
	c.Conversations = []store.ConversationRow{{ID: "talk", Project: "p", Name: "n", CreatedAt: now}}
	c.Progress = &store.Progress{Project: "p", Status: "active", Epic: "epic", At: now}
	c.Standing = &store.Standing{Project: "p", Name: "shop", Paused: "lunch", At: now}
	c.Snapshot = &store.Snapshot{Head: head, Format: 1, State: []byte("x")}
	return c
}

// TestWhatCannotBeWrittenIsSaid: whichever row of a commit is refused by the database, whoever commits is told, nothing
// of the commit is kept, and it can be made again.
func TestWhatCannotBeWrittenIsSaid(t *testing.T) {
	t.Parallel()
	const sameIndex = "NEW.started_at = OLD.started_at"
	for _, row := range []string{
		"INSERT ON events", "DELETE ON claims", "INSERT ON claims", "DELETE ON waiters",
		"DELETE ON slots", "DELETE ON slot_pools", "UPDATE ON slots WHEN NEW.holder = 'run/b/1'", "UPDATE ON slot_pools WHEN NEW.holder = 'run/b/1'",
		"INSERT ON slots WHEN NEW.holder = 'run/a/2'", "INSERT ON slot_pools WHEN NEW.holder = 'run/a/2'", "UPDATE ON slots WHEN NEW.holder = 'run/waits/2'",
		"UPDATE ON slot_pools WHEN NEW.holder = 'run/waits/2' AND NEW.held = 1", "UPDATE ON slot_pools WHEN NEW.capacity <> OLD.capacity", "INSERT ON slots WHEN NEW.holder = 'run/a/3'", "UPDATE ON slots WHEN NEW.filed = 'pool'",
		"UPDATE ON wakes WHEN NEW.stream = 'run/a'", "UPDATE ON wakes WHEN NEW.stream = 'run/waits'", "UPDATE ON wakes WHEN NEW.stream = 'run/b'",
		"UPDATE ON runs", "UPDATE ON runs WHEN " + sameIndex, "INSERT ON projects", "INSERT ON tasks", "INSERT ON messages", "INSERT ON conversations WHEN NEW.id = 'talk'",
		"UPDATE ON projects WHEN NEW.current_epic <> OLD.current_epic", "UPDATE ON projects WHEN NEW.paused <> OLD.paused", "INSERT ON snapshots",
	} {
		t.Run(row, func(t *testing.T) {
			t.Parallel()
			s, head := occupied(t)
			otherwise(t, s, "CREATE TRIGGER refuse BEFORE "+row+" BEGIN SELECT RAISE(ABORT, 'refused here'); END")
			c := everything(t, s, head)
			if strings.HasSuffix(row, sameIndex) {
				before, err := s.Run(t.Context(), "a")
				if err != nil {
					t.Fatal(err)
				}
				c.Run.StartedAt = before.StartedAt
			}
			if err := s.Commit(t.Context(), c); err == nil || !strings.Contains(err.Error(), "refused here") {
				t.Errorf("committed: %v", err)
			}
			got, err := s.Head(t.Context(), "run/a")
			claims, claimsErr := s.Claims(t.Context())
			of, slotsErr := s.Slots(t.Context(), "run/a")
			if err := errors.Join(err, claimsErr, slotsErr); err != nil || got != head || len(claims) != 1 || claims[0].Key != "k" || len(of) != 1 || !of[0].Held {
				t.Errorf("it left %+v, %+v and %+v, %v", got, claims, of, err)
			}
			otherwise(t, s, "DROP TRIGGER refuse")
			if err := s.Commit(t.Context(), c); err != nil {
				t.Errorf("again: %v", err)
			}
		})
	}
}

// TestAHintThatCannotBeWrittenIsSaid: whichever step of a look the database refuses, the engine is told, and finds all
// hints once it does not.
func TestAHintThatCannotBeWrittenIsSaid(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		on  string
		ask func(s *Store, h store.Hint) error
	}{
		"enlisted": {"INSERT ON engines", func(s *Store, _ store.Hint) error {
			_, err := s.Enlist(t.Context(), store.Engine{ID: "f"}, time.Minute)
			return err
		}},
		"inherited": {"UPDATE ON owners", func(s *Store, _ store.Hint) error {
			_, err := s.Enlist(t.Context(), store.Engine{ID: "e"}, time.Minute)
			return err
		}},
		"renewed": {"UPDATE ON engines", func(s *Store, _ store.Hint) error {
			_, err := s.Renew(t.Context(), "e", time.Minute)
			return err
		}},
		"taken": {"INSERT ON owners", func(s *Store, _ store.Hint) error {
			_, err := s.Take(t.Context(), "e", time.Minute, []string{"q"})
			return err
		}},
		"given back": {"UPDATE ON owners", func(s *Store, h store.Hint) error {
			return s.Yield(t.Context(), []store.Owner{{Project: h.Project, Fence: h.Fence}})
		}},
		"raised again": {"UPDATE ON wakes", func(s *Store, h store.Hint) error {
			return s.Yield(t.Context(), []store.Owner{{Project: h.Project, Fence: h.Fence}})
		}},
		"left":        {"UPDATE ON engines", func(s *Store, _ store.Hint) error { return s.Leave(t.Context(), "e") }},
		"put to rest": {"UPDATE ON wakes", func(s *Store, h store.Hint) error { return s.Rest(t.Context(), h) }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, _ := occupied(t)
			own(t, s, "e")
			before, err := s.Hints(t.Context(), "e", 9)
			if err != nil || len(before) != 3 {
				t.Fatalf("hints are %+v, %v", before, err)
			}
			otherwise(t, s, "UPDATE runs SET project_id = '', status = 'active' WHERE id = 'a'")
			otherwise(t, s, "CREATE TRIGGER refuse BEFORE "+test.on+" BEGIN SELECT RAISE(ABORT, 'refused here'); END")
			if err := test.ask(s, before[0]); err == nil || !strings.Contains(err.Error(), "refused here") {
				t.Errorf("not said: %v", err)
			}
			otherwise(t, s, "DROP TRIGGER refuse")
			if hints, err := s.Hints(t.Context(), "e", 9); err != nil || len(hints) != 3 {
				t.Errorf("hints afterwards: %+v, %v", hints, err)
			}
		})
	}
}

// calls are what can be asked of a store beside a whole commit, and the tables without which there is no answer.
func calls(s *Store) map[string]struct {
	needs string
	call  func(ctx context.Context) error
} {
	type asked = struct {
		needs string
		call  func(ctx context.Context) error
	}
	now := s.now()
	claim := core.Claim{Kind: core.ClaimProject, Key: "k", Holder: "run/a", Limit: 1}
	return map[string]asked{
		"a budget": {"runs", func(ctx context.Context) error {
			return s.Commit(ctx, store.Commit{Stream: "run/new", Budget: &store.Budget{Project: "p", At: now}})
		}},
		"take a claim": {"claims", func(ctx context.Context) error {
			return s.Commit(ctx, store.Commit{Stream: "run/new", Acquire: []core.Claim{claim}})
		}},
		"release": {"claims waiters", func(ctx context.Context) error {
			return s.Commit(ctx, store.Commit{Stream: "run/new", Release: []core.Claim{claim}})
		}},
		"take slots": {"slots slot_pools", func(ctx context.Context) error {
			return s.Commit(ctx, store.Commit{Stream: "run/new", Take: []core.Slots{slots("run/new/1")}})
		}},
		"free slots": {"slots slot_pools", func(ctx context.Context) error {
			return s.Commit(ctx, store.Commit{Stream: "run/new", Free: []string{"run/a/1"}})
		}},
		"slots":        {"slots slot_pools", func(ctx context.Context) error { _, err := s.Slots(ctx, ""); return err }},
		"in line":      {"slots slot_pools", func(ctx context.Context) error { _, err := s.PlaceInLine(ctx, "run/b/1"); return err }},
		"slots of one": {"slots slot_pools", func(ctx context.Context) error { _, err := s.Slots(ctx, "run/a"); return err }},
		"hint":         {"wakes", func(ctx context.Context) error { return s.Commit(ctx, store.Commit{Stream: "run/new"}) }},
		"await":        {"waiters", func(ctx context.Context) error { return s.Await(ctx, "run/a", claim) }},
		"events":       {"events", func(ctx context.Context) error { _, err := s.Events(ctx, "run/a", 0, 0); return err }},
		"head":         {"events", func(ctx context.Context) error { _, err := s.Head(ctx, "run/a"); return err }},
		"snapshot":     {"snapshots", func(ctx context.Context) error { _, err := s.Snapshot(ctx, "run/a"); return err }},
		"claims":       {"claims", func(ctx context.Context) error { _, err := s.Claims(ctx); return err }},
		"holders":      {"claims", func(ctx context.Context) error { _, err := s.Holders(ctx, core.ClaimBranch, "k"); return err }},
		"hints":        {"wakes owners", func(ctx context.Context) error { _, err := s.Hints(ctx, "e", 9); return err }},
		"rest":         {"wakes owners", func(ctx context.Context) error { return s.Rest(ctx, store.Hint{Stream: "run/a"}) }},
		"adrift":       {"wakes owners engines", func(ctx context.Context) error { _, err := s.Adrift(ctx, "", 9); return err }},
		"position":     {"events", func(ctx context.Context) error { _, err := s.Position(ctx); return err }},
		"moved":        {"events", func(ctx context.Context) error { _, _, err := s.Moved(ctx, 0, 9); return err }},
		"a fence": {"owners", func(ctx context.Context) error {
			return s.Commit(ctx, store.Commit{Stream: "run/new", Fence: 1})
		}},
		"enlist": {"engines owners runs projects", func(ctx context.Context) error {
			_, err := s.Enlist(ctx, store.Engine{ID: "e"}, time.Minute)
			return err
		}},
		"renew":        {"engines", func(ctx context.Context) error { _, err := s.Renew(ctx, "", time.Minute); return err }},
		"owner of":     {"owners engines", func(ctx context.Context) error { _, err := s.OwnerOf(ctx, "p"); return err }},
		"forget":       {"engines owners", func(ctx context.Context) error { _, err := s.Forget(ctx, 0); return err }},
		"leave":        {"engines", func(ctx context.Context) error { return s.Leave(ctx, "e") }},
		"yield":        {"owners", func(ctx context.Context) error { return s.Yield(ctx, []store.Owner{{Project: "p"}}) }},
		"raised":       {"wakes", func(ctx context.Context) error { _, _, err := s.Raised(ctx, "run/a", 0, 0); return err }},
		"next due":     {"wakes", func(ctx context.Context) error { _, err := s.NextDue(ctx, now); return err }},
		"run":          {"runs", func(ctx context.Context) error { _, err := s.Run(ctx, "a"); return err }},
		"runs":         {"runs", func(ctx context.Context) error { _, err := s.Runs(ctx, store.Filter{}); return err }},
		"page of runs": {"runs", func(ctx context.Context) error { _, err := s.Runs(ctx, store.Filter{Before: "a"}); return err }},
		"totals":       {"runs", func(ctx context.Context) error { _, err := s.RunTotals(ctx, "p"); return err }},
		"spent":        {"runs", func(ctx context.Context) error { _, err := s.Spent(ctx, "p", "", now); return err }},
		"spending":     {"runs", func(ctx context.Context) error { _, err := s.Spending(ctx, now); return err }},
		"project":      {"projects", func(ctx context.Context) error { _, err := s.Project(ctx, "p"); return err }},
		"projects":     {"projects", func(ctx context.Context) error { _, err := s.Projects(ctx, 0); return err }},
		"tasks":        {"tasks", func(ctx context.Context) error { _, err := s.Tasks(ctx, "a"); return err }},
		"task counts":  {"tasks", func(ctx context.Context) error { _, err := s.TaskCounts(ctx, "p"); return err }},
		"messages": {"messages", func(ctx context.Context) error {
			_, err := s.Messages(ctx, store.MessageFilter{Project: "p"})
			return err
		}},
		"messages after": {"messages", func(ctx context.Context) error {
			_, err := s.Messages(ctx, store.MessageFilter{Project: "p", After: "x"})
			return err
		}},
		"last messages": {"messages", func(ctx context.Context) error {
			_, err := s.Messages(ctx, store.MessageFilter{Project: "p", Last: true})
			return err
		}},
		"conversations": {"messages conversations", func(ctx context.Context) error { _, err := s.Conversations(ctx, "p"); return err }},
		"questions":     {"messages runs", func(ctx context.Context) error { _, err := s.Questions(ctx); return err }},
		"about":         {"messages", func(ctx context.Context) error { _, err := s.About(ctx, "q"); return err }},
		"recall":        {"verdicts", func(ctx context.Context) error { _, err := s.Recall(ctx, "k"); return err }},
		"remember":      {"verdicts", func(ctx context.Context) error { return s.Remember(ctx, "k", nil) }},
	}
}

// TestWhatCannotBeReadIsSaid: nobody who asks takes a table that cannot be read for an empty one.
func TestWhatCannotBeReadIsSaid(t *testing.T) {
	t.Parallel()
	for _, table := range []string{"events", "snapshots", "claims", "waiters", "slots", "slot_pools", "wakes", "engines", "owners", "runs", "projects", "tasks", "messages", "conversations", "verdicts"} {
		t.Run(table, func(t *testing.T) {
			t.Parallel()
			s, _ := occupied(t)
			otherwise(t, s, "DROP TABLE "+table)
			for name, ask := range calls(s) {
				if !slices.Contains(strings.Fields(ask.needs), table) {
					continue
				}
				if err := ask.call(t.Context()); err == nil || errors.Is(err, store.ErrNotFound) || !strings.Contains(err.Error(), "no such table") {
					t.Errorf("%s: %v", name, err)
				}
			}
		})
	}
}
