package engine_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// TestRowsOfAPhasesTasks: what the table says of a task that passes and of one
// that nobody ends any more.
func TestRowsOfAPhasesTasks(t *testing.T) {
	b := newBench(t)
	for _, run := range []string{"r1", "r2"} {
		first := start(run, core.DefaultLimits())
		first.Remote = "/srv/shop.git"
		b.submit(run, core.Person("me"), first)
		b.clock.move(time.Second)
		b.submit(run, core.Engine(), core.AttemptStarted{Attempt: "a.r1.a1"})
		b.clock.move(time.Second)
	}
	b.submit("r1", core.Engine(), core.AttemptExited{
		Attempt: "a.r1.a1", Kind: core.ExitFinished, Delivery: delivered(1), Summary: "Done.", Duration: time.Second, Usage: core.Usage{CostUSD: 0.25},
	})
	b.clock.move(time.Second)
	b.submit("r1", core.Engine(), core.VerifyConcluded{Task: "a.r1", Attempt: "a.r1.a1", Passed: true})
	b.submit("r2", core.Person("me"), core.RunCancelled{Reason: "not wanted"})
	b.submit("r2", core.Engine(), core.AttemptExited{Attempt: "a.r1.a1", Kind: core.ExitCancelled, Duration: time.Second, Message: "was stopped"})
	for run, want := range map[string]struct{ status, result string }{
		"r1": {"completed", `{"success":true,"summary":"Done.","commit":"c1","duration_ms":1000,"cost_usd":0.25}`},
		"r2": {"failed", `{"success":false,"summary":"was stopped","duration_ms":1000,"cost_usd":null,"unpriced":1}`},
	} {
		rows, err := b.store.Tasks(t.Context(), run)
		if err != nil || len(rows) != 1 {
			t.Fatalf("%s: %d rows, %v", run, len(rows), err)
		}
		row := rows[0]
		said := strings.Join([]string{row.Addressee, row.CreatedBy, row.TriggeredBy, row.Prompt, row.RepoURL, row.Branch, string(row.Status)}, "|")
		addressee := map[string]string{"r1": "5874cfbf-d3b5-844f-8639-c04dab593961", "r2": "036d6e3c-190c-8093-bfef-1cab1855692f"}[run]
		if said != "worker-a-"+addressee+"|me||a: g|/srv/shop.git|feature/"+run+"|"+want.status || string(row.Result) != want.result {
			t.Errorf("%s: %s\n%s", run, said, row.Result)
		}
		if row.StartedAt == nil || row.CompletedAt == nil || !row.CreatedAt.Before(*row.StartedAt) || !row.StartedAt.Before(*row.CompletedAt) {
			t.Errorf("%s: made at %s, begun at %v, over at %v", run, row.CreatedAt, row.StartedAt, row.CompletedAt)
		}
	}
}
