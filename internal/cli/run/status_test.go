package run_test

import (
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cli/clitest"
	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
)

func TestStatusAsJSON(t *testing.T) {
	for _, args := range [][]string{{"status", "--json"}, {"status", "--json", "alias-1"}} {
		b := clitest.New(t)
		b.Put("1", "paused")
		b.Run(t, shell.ExitOK, args...)
		runs := clitest.Decode[map[string][]map[string]any](t, b.Out.String())["runs"]
		if len(runs) != 1 {
			t.Fatalf("%s", b.Out)
		}
		for _, key := range []string{"id", "alias", "status", "reason", "stage", "attempts", "cost_usd"} {
			if _, ok := runs[0][key]; !ok {
				t.Errorf("%q: %s is missing in %s", args, key, b.Out)
			}
		}
	}
	b := clitest.New(t)
	b.Run(t, shell.ExitOK, "status", "--json")
	if strings.Join(strings.Fields(b.Out.String()), "") != `{"runs":[]}` {
		t.Errorf("%s", b.Out)
	}
}

func TestStatusListsOpenRunsAndTheNewestEnded(t *testing.T) {
	b := clitest.New(t)
	for i := range 9 {
		b.Svc.Put(api.RunDetail{Run: api.Run{ID: string(rune('a' + i)), Alias: "ended-" + string(rune('a'+i)), Status: "completed", EndedAt: &clitest.Noon}})
	}
	b.Put("1", "active")
	b.Run(t, shell.ExitOK, "status")
	if n := strings.Count(b.Out.String(), "ended-"); n != 5 {
		t.Errorf("%d ended runs are listed", n)
	}
	b.Said(t, b.Out, "alias-1")
	b.Run(t, shell.ExitOK, "status", "--all")
	b.Said(t, b.Out, "ended-a")
}

func TestStatusWithoutAnEngine(t *testing.T) {
	const says = "no engine is running; `stellwerk resume alias-1` continues"
	for _, args := range [][]string{{"status"}, {"status", "alias-1"}, {"status", "--json"}} {
		b := clitest.New(t).Own()
		b.Put("1", "active")
		b.Run(t, shell.ExitOK, args...)
		b.Said(t, b.Out, says)
		b = clitest.New(t)
		b.Put("1", "active")
		b.Run(t, shell.ExitOK, args...)
		if strings.Contains(b.Out.String(), says) {
			t.Errorf("%q with an engine: %s", args, b.Out)
		}
	}
	b := clitest.New(t).Own()
	b.Put("1", "awaiting_approval")
	b.Run(t, shell.ExitOK, "status")
	b.Said(t, b.Out, "stellwerk approve alias-1")
}

func TestStatusNamesLostRuns(t *testing.T) {
	b := clitest.New(t)
	state := t.TempDir()
	for i := range 7 {
		clitest.WriteFile(t, state+"/runs/lost-"+string(rune('a'+i))+"/manifest.jsonl", "{}\n")
	}
	clitest.WriteFile(t, state+"/runs/1/manifest.jsonl", "{}\n")
	b.Run(t, shell.ExitOK, "status", "--state", state)
	b.Said(t, b.Out, "stellwerk resume --state "+state+" "+state+"/runs/1\n", "and 3 more in "+state+"/runs")
	b = clitest.New(t)
	b.Put("1", "active")
	b.Run(t, shell.ExitOK, "status", "--state", state)
	if strings.Contains(b.Out.String(), "/runs/1\n") {
		t.Errorf("a known run is called lost: %s", b.Out)
	}
}
