package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/admission"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// admissionPieces and admissionEdges are the size of the set that is judged.
const (
	admissionPieces = 1000
	admissionEdges  = 5000
)

// admissionSet judges delegations that depend on one another and read what those before them hand in, however far back. The
// median counts; the limit is absolute.
func admissionSet(ctx context.Context, shop *workshop) (o outcome, err error) {
	q := admission.Request{Roles: []admission.Role{{Name: "developer", Can: []string{"code"}}}, Versions: true}
	briefs := make([]core.Brief, admissionPieces)
	dice := rand.New(rand.NewPCG(1, 2))
	for i := range briefs {
		briefs[i] = core.Brief{ID: fmt.Sprintf("part-%d", i), Agent: "developer", Task: fmt.Sprintf("Do part %d of the work, and say what came of it.", i),
			Needs: []string{"code"}, Outputs: []string{fmt.Sprintf("part-%d_v1.md", i)}, Criteria: []core.Criterion{{Text: "The tests pass", Check: "make test"}}}
	}
	for range admissionEdges {
		to := 1 + dice.IntN(admissionPieces-1)
		from := dice.IntN(to)
		briefs[to].DependsOn = append(briefs[to].DependsOn, briefs[from].ID)
		briefs[to].Requires = append(briefs[to].Requires, briefs[from].ID)
	}
	var took []time.Duration
	for range shop.times(200) {
		var verdicts []admission.Verdict
		t, err := spent(func() {
			q.Pieces = q.Pieces[:0]
			for _, b := range briefs {
				q.Pieces = append(q.Pieces, admission.Brief(b))
			}
			verdicts = admission.Judge(q)
		})
		if err != nil {
			return o, err
		}
		for _, v := range verdicts {
			if !v.Admitted() {
				return o, fmt.Errorf("%s was refused: %s", v.Piece, v.Text)
			}
		}
		took = append(took, t)
	}
	m := median(took)
	return outcome{ratio: float64(m) / float64(20*time.Millisecond), measured: fmt.Sprintf("%s for %d edges", short(m), admissionEdges)}, ctx.Err()
}
