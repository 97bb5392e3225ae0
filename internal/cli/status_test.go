package cli

import (
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cli/run"
	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
)

func TestStatusAsJSON(t *testing.T) {
	for _, args := range [][]string{{"status", "--json"}, {"status", "--json", "alias-1"}} {
		b := newBench(t)
		b.put("1", "paused")
		b.run(t, shell.ExitOK, args...)
		runs := decode[map[string][]map[string]any](t, b.out.String())["runs"]
		if len(runs) != 1 {
			t.Fatalf("%s", b.out)
		}
		for _, key := range []string{"id", "alias", "status", "reason", "stage", "attempts", "cost_usd"} {
			if _, ok := runs[0][key]; !ok {
				t.Errorf("%q: %s is missing in %s", args, key, b.out)
			}
		}
	}
	b := newBench(t)
	b.run(t, shell.ExitOK, "status", "--json")
	if strings.Join(strings.Fields(b.out.String()), "") != `{"runs":[]}` {
		t.Errorf("%s", b.out)
	}
}

func TestStatusListsOpenRunsAndTheNewestEnded(t *testing.T) {
	b := newBench(t)
	for i := range 9 {
		b.svc.Put(api.RunDetail{Run: api.Run{ID: string(rune('a' + i)), Alias: "ended-" + string(rune('a'+i)), Status: "completed", EndedAt: &noon}})
	}
	b.put("1", "active")
	b.run(t, shell.ExitOK, "status")
	if n := strings.Count(b.out.String(), "ended-"); n != run.EndedShown {
		t.Errorf("%d ended runs are listed", n)
	}
	b.said(t, b.out, "alias-1")
	b.run(t, shell.ExitOK, "status", "--all")
	b.said(t, b.out, "ended-a")
}

func TestStatusWithoutAnEngine(t *testing.T) {
	const says = "no engine is running; `stellwerk resume alias-1` continues"
	for _, args := range [][]string{{"status"}, {"status", "alias-1"}, {"status", "--json"}} {
		b := newBench(t).own()
		b.put("1", "active")
		b.run(t, shell.ExitOK, args...)
		b.said(t, b.out, says)
		b = newBench(t)
		b.put("1", "active")
		b.run(t, shell.ExitOK, args...)
		if strings.Contains(b.out.String(), says) {
			t.Errorf("%q with an engine: %s", args, b.out)
		}
	}
	b := newBench(t).own()
	b.put("1", "awaiting_approval")
	b.run(t, shell.ExitOK, "status")
	b.said(t, b.out, "stellwerk approve alias-1")
}

func TestStatusNamesLostRuns(t *testing.T) {
	b := newBench(t)
	state := t.TempDir()
	for i := range run.LostShown + 2 {
		writeFile(t, state+"/runs/lost-"+string(rune('a'+i))+"/manifest.jsonl", "{}\n")
	}
	writeFile(t, state+"/runs/1/manifest.jsonl", "{}\n")
	b.run(t, shell.ExitOK, "status", "--state", state)
	b.said(t, b.out, "stellwerk resume --state "+state+" "+state+"/runs/1\n", "and 3 more in "+state+"/runs")
	b = newBench(t)
	b.put("1", "active")
	b.run(t, shell.ExitOK, "status", "--state", state)
	if strings.Contains(b.out.String(), "/runs/1\n") {
		t.Errorf("a known run is called lost: %s", b.out)
	}
}
