package project_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cli/clitest"
	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

func projectAnswer() api.ProjectDetail {
	return api.ProjectDetail{
		Project: api.Project{ID: "k", Name: "shop", Repository: "/r", Base: "main", Status: "active", Epic: "Greet", LastActivity: clitest.Noon.Add(-time.Hour)},
		Queue: []api.Epic{
			{ID: "epic-1", Project: "shop", Title: "More\x1b[2J", Place: 1, Playbook: "project-rules", Base: "main", By: "ada", At: clitest.Noon.Add(-time.Minute)},
			{ID: "epic-2", Project: "shop", Title: "Less", Playbook: "project-rules", Base: "main", By: "ada", At: clitest.Noon, Refused: &core.Refusal{Reason: "no agent"}},
		},
	}
}

func TestAQueuedGoalIsNoFailure(t *testing.T) {
	b := clitest.New(t)
	b.Svc.StartAnswer = &api.Run{ID: "1", Title: "More", Status: api.StatusQueued, Epic: &api.Epic{ID: "epic-1", Project: "shop", Place: 2, Behind: "brisk-otter", Title: "More"}}
	b.Run(t, shell.ExitOK, "run", "--playbook", "project-rules", "--project", "shop", "More")
	b.Said(t, b.Out, "Queued as epic-1 of project shop, at place 2 behind run brisk-otter: More", "stellwerk projects queue shop")
	if strings.Contains(b.Out.String(), "stellwerk serve") {
		t.Errorf("an engine runs, and another is asked for: %s", b.Out)
	}
	calls := b.Svc.Calls()
	if req, ok := calls[0].Req.(api.StartRun); !ok || req.Project != "shop" || req.NoQueue {
		t.Errorf("%+v", calls)
	}
	b.Own().Out.B.Reset()
	b.Run(t, shell.ExitOK, "run", "--playbook", "project-rules", "More")
	b.Said(t, b.Out, "an engine starts it when its turn comes: stellwerk serve")
	b.Out.B.Reset()
	b.Run(t, shell.ExitOK, "run", "--json", "More")
	if run := clitest.Decode[api.Run](t, b.Out.String()); run.Status != "queued" || run.Epic.Place != 2 {
		t.Errorf("%+v", run)
	}
}

func TestProjectWords(t *testing.T) {
	for line, want := range map[string]struct {
		verb, id string
		req      any
	}{
		"projects pause shop -m freeze":       {"pause-project", "shop", api.PauseProject{Reason: "freeze"}},
		"projects resume shop":                {"resume-project", "shop", api.ResumeProject{}},
		"projects resume":                     {"resume-project", "k", api.ResumeProject{}},
		"projects archive shop":               {"archive-project", "shop", api.ArchiveProject{}},
		"projects erase shop --yes -m why":    {"erase-project", "k", api.EraseProject{Name: "shop", Reason: "why"}},
		"projects drop shop epic-1":           {"drop-epic", "shop", api.DropEpic{Epic: "epic-1"}},
		"projects requeue shop":               {"requeue-epic", "shop", api.RequeueEpic{}},
		"projects requeue shop epic-2":        {"requeue-epic", "shop", api.RequeueEpic{Epic: "epic-2"}},
		"projects add https://x.org/a --id a": {"add-project", "", api.AddProject{Repository: "https://x.org/a", Name: "a"}},
		"projects add git@x.org:a -p project": {"add-project", "", api.AddProject{Repository: "git@x.org:a", Playbook: "project"}},
	} {
		b := clitest.New(t)
		b.Svc.ProjectList, b.Svc.ProjectAnswer = []api.Project{{ID: "k", Name: "shop"}}, projectAnswer()
		b.Run(t, shell.ExitOK, strings.Fields(line)...)
		calls := b.Svc.Calls()
		last := calls[len(calls)-1]
		if last.Verb != want.verb || last.Run != want.id || last.Req != want.req {
			t.Errorf("%s: %+v", line, last)
		}
		if want.verb == "erase-project" {
			b.Said(t, b.Out, "Erased project shop: the content of 30 events in 2 runs.", "Backups still have everything")
		} else {
			b.Said(t, b.Out, "shop", "1.  epic-1", `More\x1b[2J`, "could not be started: no agent", "1h00m ago")
		}

		b.Env["STELLWERK_ATTEMPT"] = "build.r1.a1"
		asked := len(b.Svc.Calls())
		b.Run(t, shell.ExitError, strings.Fields(line)...)
		if len(b.Svc.Calls()) != asked {
			t.Errorf("%s: an attempt is passed on", line)
		}
	}
}

func TestAPathIsTakenFromTheWorkingDirectory(t *testing.T) {
	b := clitest.New(t)
	dir := b.Dir
	b.Run(t, shell.ExitOK, "projects", "add", "shop")
	if req := b.Svc.Calls()[0].Req.(api.AddProject); req.Repository != dir+"/shop" {
		t.Errorf("%+v", req)
	}
	b.Run(t, shell.ExitOK, "projects", "add", "--", "-x")
	if req := b.Svc.Calls()[1].Req.(api.AddProject); req.Repository != "-x" {
		t.Errorf("what is to be refused is made a path: %+v", req)
	}
}

func TestProjectsAndEpicsAreCompleted(t *testing.T) {
	b := clitest.New(t)
	b.Svc.ProjectList, b.Svc.ProjectAnswer = []api.Project{{ID: "k", Name: "shop", Repository: "/r"}}, projectAnswer()
	b.Run(t, shell.ExitOK, "__complete", "projects", "show", "")
	b.Said(t, b.Out, "shop\t/r")
	b.Run(t, shell.ExitOK, "__complete", "run", "--project", "")
	b.Said(t, b.Out, "shop\t/r")
	b.Run(t, shell.ExitOK, "__complete", "projects", "drop", "shop", "")
	b.Said(t, b.Out, "epic-1\t", "epic-2\tLess")
}

func TestTheQueueIsNamedWhenTheEngineEnds(t *testing.T) {
	b := clitest.New(t).Own()
	b.Svc.ProjectAnswer = projectAnswer()
	b.Svc.ProjectAnswer.Queued = 2
	b.Put("1", "active")
	b.Ends("1", core.RunCompleted{}, core.StatusCompleted)
	b.Run(t, shell.ExitOK, "watch", "1")
	b.Said(t, b.Out, "2 more in the queue of shop", "stellwerk serve")
	b.Svc.ProjectAnswer.Run = &api.Run{ID: "2", Alias: "next-one"}
	b.Run(t, shell.ExitOK, "watch", "1")
	b.Said(t, b.Out, "run next-one has started from the queue of shop")

	b.Out.B.Reset()
	ended := time.Unix(2000, 0)
	b.Put("3", "active")
	b.Happen("3", core.RunCompleted{}, func(d *api.RunDetail) { d.Status, d.EndedAt = core.StatusCompleted, &ended })
	b.Svc.ProjectAnswer.Run = &api.Run{ID: "2", Alias: "driver", StartedAt: time.Unix(1000, 0)}
	b.Run(t, shell.ExitOK, "watch", "3")
	if strings.Contains(b.Out.String(), "has begun") {
		t.Errorf("what was there before is shown as new: %s", b.Out)
	}
}

// TestNobodyErasesByMistake: the name is typed, or --yes is given.
func TestNobodyErasesByMistake(t *testing.T) {
	b := clitest.New(t)
	b.Svc.ProjectAnswer = projectAnswer()
	b.Run(t, shell.ExitUsage, "projects", "erase", "shop")
	b.Said(t, b.Err, "add --yes to erase project shop for good")
	if calls := b.Svc.Calls(); len(calls) != 0 {
		t.Errorf("%+v", calls)
	}
	b.At("shop")
	b.Run(t, shell.ExitOK, "projects", "erase", "shop")
	calls := b.Svc.Calls()
	if req, ok := calls[len(calls)-1].Req.(api.EraseProject); !ok || req.Name != "shop" {
		t.Errorf("%+v", calls)
	}
}
