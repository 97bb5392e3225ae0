package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/gate"
)

// gatePieces and gateEdges are the size of the set that is judged.
const (
	gatePieces = 1000
	gateEdges  = 5000
)

// gateSet judges delegations that depend on one another and read what those before them hand in, however far back. The
// median counts; the limit is absolute.
func gateSet(ctx context.Context, shop *workshop) (o outcome, err error) {
	q := gate.Request{Roles: []gate.Role{{Name: "developer", Can: []string{"code"}}}, Versions: true}
	briefs := make([]core.Brief, gatePieces)
	dice := rand.New(rand.NewPCG(1, 2))
	for i := range briefs {
		briefs[i] = core.Brief{ID: fmt.Sprintf("part-%d", i), Agent: "developer", Task: fmt.Sprintf("Do part %d of the work, and say what came of it.", i),
			Needs: []string{"code"}, Outputs: []string{fmt.Sprintf("part-%d_v1.md", i)}, Criteria: []core.Criterion{{Text: "The tests pass", Check: "make test"}}}
	}
	for range gateEdges {
		to := 1 + dice.IntN(gatePieces-1)
		from := dice.IntN(to)
		briefs[to].DependsOn = append(briefs[to].DependsOn, briefs[from].ID)
		briefs[to].Requires = append(briefs[to].Requires, briefs[from].ID)
	}
	var took []time.Duration
	for range shop.times(200) {
		var verdicts []gate.Verdict
		t, err := spent(func() {
			q.Pieces = q.Pieces[:0]
			for _, b := range briefs {
				q.Pieces = append(q.Pieces, gate.Brief(b))
			}
			verdicts = gate.Judge(q)
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
	return outcome{ratio: float64(m) / float64(20*time.Millisecond), measured: fmt.Sprintf("%s for %d edges", short(m), gateEdges)}, ctx.Err()
}
