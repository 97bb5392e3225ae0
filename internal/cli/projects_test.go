package cli

import (
	"strings"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

func projectAnswer() api.ProjectDetail {
	return api.ProjectDetail{
		Project: api.Project{ID: "k", Name: "shop", Repository: "/r", Base: "main", Status: "active", Epic: "Greet", LastActivity: noon.Add(-time.Hour)},
		Queue: []api.Epic{
			{ID: "epic-1", Project: "shop", Title: "More\x1b[2J", Place: 1, Playbook: "project-rules", Base: "main", By: "ada", At: noon.Add(-time.Minute)},
			{ID: "epic-2", Project: "shop", Title: "Less", Playbook: "project-rules", Base: "main", By: "ada", At: noon, Refused: &core.Refusal{Reason: "no agent"}},
		},
	}
}

func TestAQueuedGoalIsNoFailure(t *testing.T) {
	b := newBench(t)
	b.svc.StartAnswer = &api.Run{ID: "1", Title: "More", Status: api.StatusQueued, Epic: &api.Epic{ID: "epic-1", Project: "shop", Place: 2, Behind: "brisk-otter", Title: "More"}}
	b.run(t, shell.ExitOK, "run", "--playbook", "project-rules", "--project", "shop", "More")
	b.said(t, b.out, "Queued as epic-1 of project shop, at place 2 behind run brisk-otter: More", "stellwerk projects queue shop")
	if strings.Contains(b.out.String(), "stellwerk serve") {
		t.Errorf("an engine runs, and another is asked for: %s", b.out)
	}
	calls := b.svc.Calls()
	if req, ok := calls[0].Req.(api.StartRun); !ok || req.Project != "shop" || req.NoQueue {
		t.Errorf("%+v", calls)
	}
	b.own().out.b.Reset()
	b.run(t, shell.ExitOK, "run", "--playbook", "project-rules", "More")
	b.said(t, b.out, "an engine starts it when its turn comes: stellwerk serve")
	b.out.b.Reset()
	b.run(t, shell.ExitOK, "run", "--json", "More")
	if run := decode[api.Run](t, b.out.String()); run.Status != "queued" || run.Epic.Place != 2 {
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
		"projects drop shop epic-1":           {"drop-epic", "shop", api.DropEpic{Epic: "epic-1"}},
		"projects requeue shop":               {"requeue-epic", "shop", api.RequeueEpic{}},
		"projects requeue shop epic-2":        {"requeue-epic", "shop", api.RequeueEpic{Epic: "epic-2"}},
		"projects add https://x.org/a --id a": {"add-project", "", api.AddProject{Repository: "https://x.org/a", Name: "a"}},
		"projects add git@x.org:a -p project": {"add-project", "", api.AddProject{Repository: "git@x.org:a", Playbook: "project"}},
	} {
		b := newBench(t)
		b.svc.ProjectList, b.svc.ProjectAnswer = []api.Project{{ID: "k", Name: "shop"}}, projectAnswer()
		b.run(t, shell.ExitOK, strings.Fields(line)...)
		calls := b.svc.Calls()
		last := calls[len(calls)-1]
		if last.Verb != want.verb || last.Run != want.id || last.Req != want.req {
			t.Errorf("%s: %+v", line, last)
		}
		b.said(t, b.out, "shop", "1.  epic-1", `More\x1b[2J`, "could not be started: no agent", "1h00m ago")

		b.env["STELLWERK_ATTEMPT"] = "build.r1.a1"
		asked := len(b.svc.Calls())
		b.run(t, shell.ExitError, strings.Fields(line)...)
		if len(b.svc.Calls()) != asked {
			t.Errorf("%s: an attempt is passed on", line)
		}
	}
}

func TestAPathIsTakenFromTheWorkingDirectory(t *testing.T) {
	b := newBench(t)
	dir, err := b.Dir()
	if err != nil {
		t.Fatal(err)
	}
	b.run(t, shell.ExitOK, "projects", "add", "shop")
	if req := b.svc.Calls()[0].Req.(api.AddProject); req.Repository != dir+"/shop" {
		t.Errorf("%+v", req)
	}
	b.run(t, shell.ExitOK, "projects", "add", "--", "-x")
	if req := b.svc.Calls()[1].Req.(api.AddProject); req.Repository != "-x" {
		t.Errorf("what is to be refused is made a path: %+v", req)
	}
}

func TestProjectsAndEpicsAreCompleted(t *testing.T) {
	b := newBench(t)
	b.svc.ProjectList, b.svc.ProjectAnswer = []api.Project{{ID: "k", Name: "shop", Repository: "/r"}}, projectAnswer()
	b.run(t, shell.ExitOK, "__complete", "projects", "show", "")
	b.said(t, b.out, "shop\t/r")
	b.run(t, shell.ExitOK, "__complete", "run", "--project", "")
	b.said(t, b.out, "shop\t/r")
	b.run(t, shell.ExitOK, "__complete", "projects", "drop", "shop", "")
	b.said(t, b.out, "epic-1\t", "epic-2\tLess")
}

func TestTheQueueIsNamedWhenTheEngineEnds(t *testing.T) {
	b := newBench(t).own()
	b.svc.ProjectAnswer = projectAnswer()
	b.svc.ProjectAnswer.Queued = 2
	b.put("1", "active")
	b.ends("1", core.RunCompleted{}, core.StatusCompleted)
	b.run(t, shell.ExitOK, "watch", "1")
	b.said(t, b.out, "2 more in the queue of shop", "stellwerk serve")
	b.svc.ProjectAnswer.Run = &api.Run{ID: "2", Alias: "next-one"}
	b.run(t, shell.ExitOK, "watch", "1")
	b.said(t, b.out, "run next-one has started from the queue of shop")

	b.out.b.Reset()
	ended := time.Unix(2000, 0)
	b.put("3", "active")
	b.happen("3", core.RunCompleted{}, func(d *api.RunDetail) { d.Status, d.EndedAt = core.StatusCompleted, &ended })
	b.svc.ProjectAnswer.Run = &api.Run{ID: "2", Alias: "driver", StartedAt: time.Unix(1000, 0)}
	b.run(t, shell.ExitOK, "watch", "3")
	if strings.Contains(b.out.String(), "has begun") {
		t.Errorf("what was there before is shown as new: %s", b.out)
	}
}
