package main

import (
	"context"
	"fmt"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// factCount is how many claims are merged.
const factCount = 10_000

// facts merges claims of workers, of the planner and of people into a pool and looks for conflicts: every key is confirmed
// and contradicted, every claim but the first rests on another, and each contradiction that is settled makes others stale.
// The median counts; the limit is absolute.
func facts(ctx context.Context, shop *workshop) (o outcome, err error) {
	said := make([]core.Statement, 0, factCount)
	for i := range factCount {
		s := core.Statement{Origin: core.OriginDelegation, Source: fmt.Sprintf("delegation-%d", i%97), Wave: i * 50 / factCount, Assumption: i%5 == 0}
		s.Key, s.Content = fmt.Sprintf("topic %d", i%2000), fmt.Sprintf("What holds about it is the answer number %d, as was found out by looking.", i/2000%3)
		if i > 0 {
			s.Sources = []string{fmt.Sprintf("f%d", 1+i/2), fmt.Sprintf("d%d", i%50)}
		}
		switch i % 40 {
		case 7:
			s.Origin = core.OriginPlanner
		case 11:
			s.Origin = core.OriginPerson
		}
		said = append(said, s)
	}
	var took []time.Duration
	for range shop.times(60) {
		entries, conflicts := 0, 0
		t, err := spent(func() {
			pool := core.Pool(nil).Merge(said...)
			entries, conflicts = len(pool), len(pool.Conflicts(49))
		})
		if err != nil {
			return o, err
		}
		if entries < 2000 || conflicts == 0 {
			return o, fmt.Errorf("%d entries and %d conflicts", entries, conflicts)
		}
		took = append(took, t)
	}
	m := median(took)
	return outcome{ratio: float64(m) / float64(100*time.Millisecond), measured: short(m)}, ctx.Err()
}
