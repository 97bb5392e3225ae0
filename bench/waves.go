package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// wavesPlaybook has a planner that hands in what was laid out for it, and workers
// that take the time their delegation is called by.
const wavesPlaybook = `
name: bench
kind: waves
agents:
  planner: {use: command, run: ["sh", "plan.sh"]}
  worker: {use: command, run: ["sh", "work.sh"]}
roles:
  planner: {agent: planner, prompt: Plan.}
  worker: {agent: worker, prompt: Work.}
planner: {role: planner}
waves: {delegations: 100}
`

const (
	planScript = `cp plans/"${STELLWERK_TASK#planner.r}"/* "$STELLWERK_OUT"` + "\n"
	workScript = `t="${STELLWERK_TASK%%.*}" && sleep "$(sed -n "s/^$t //p" times)" && cp answer.json "$STELLWERK_OUT"/worker_output.json` + "\n"
)

const wavesAnswer = `{"status": "completed", "compact_md": "Done.", "detailed_md": "",
"blocking_questions": [], "optional_questions": [], "missing_info_requests": [], "assumptions_made": [],
"coverage": {"criteria_met": ["It is done"], "criteria_unmet": []}}`

// job is a delegation of known length.
type job struct {
	id    string
	takes time.Duration
	after []int // places of those that it depends on, all before its own
}

// wavesOff has 200 delegations done, 100 in a wave, which is all that one may have, by
// agents whose time is known. In each wave they depend on one another at random.
// Measured is the time from the first wave's beginning until nothing of the last is
// left to do, the planner's turn between included. The other side is the ideal: each wave's
// list schedule, the longest way to the end first, by a machine that takes no time
// itself.
func wavesOff(ctx context.Context, shop *workshop) (o outcome, err error) {
	count, each, slots := 2, 100, 8
	if shop.quick {
		count, each = 1, 40
	}
	files := map[string]string{"answer.json": wavesAnswer, "plan.sh": planScript, "work.sh": workScript}
	dice := rand.New(rand.NewPCG(1, 2))
	var ideal time.Duration
	for n := range count {
		jobs := someJobs(dice, n+1, each)
		ideal += schedule(jobs, slots)
		for _, j := range jobs {
			files["times"] += fmt.Sprintf("%s %.1f\n", j.id, j.takes.Seconds())
		}
		if err := layOut(files, n+1, continues(jobs)); err != nil {
			return o, err
		}
	}
	if err := layOut(files, count+1, core.PlannerDecision{Decision: core.CourseFinish, Reason: "all is done"}); err != nil {
		return o, err
	}
	s, err := openStation(ctx, shop, "waves", wavesPlaybook, files)
	if err != nil {
		return o, err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	run, err := s.app.Service.StartRun(asPerson(ctx), api.StartRun{
		Dir: s.repo.source, Goal: "all of it", Playbook: "bench", Trust: true, Isolation: "none", Limits: &core.Limits{Parallel: slots},
	})
	if err != nil {
		return o, err
	}
	d, err := s.readWaves(ctx, run)
	if err != nil {
		return o, err
	}
	if d.done != count*each {
		return o, fmt.Errorf("%d of %d delegations were done", d.done, count*each)
	}
	wall := d.ended.Sub(d.began)
	return outcome{
		ratio:    float64(wall) / float64(ideal),
		measured: fmt.Sprintf("%.1f s", wall.Seconds()), base: fmt.Sprintf("%.1f s", ideal.Seconds()),
	}, nil
}

// someJobs are delegations in layers, each of which depends on up to three of the
// layer before.
func someJobs(dice *rand.Rand, wave, n int) []job {
	const depth = 5
	jobs := make([]job, n)
	layer := n / depth
	for i := range jobs {
		jobs[i] = job{id: fmt.Sprintf("w%d-%d", wave, i), takes: time.Duration(20+dice.IntN(21)) * 100 * time.Millisecond}
		if i < layer {
			continue
		}
		for range dice.IntN(4) {
			if before := (i/layer-1)*layer + dice.IntN(layer); !slices.Contains(jobs[i].after, before) {
				jobs[i].after = append(jobs[i].after, before)
			}
		}
	}
	return jobs
}

// schedule is how long a list schedule of jobs takes: whenever a slot is free, it
// takes the job that can be begun and has the longest way to the end.
func schedule(jobs []job, slots int) time.Duration {
	way := make([]time.Duration, len(jobs))
	for i, j := range slices.Backward(jobs) {
		way[i] += j.takes
		for _, before := range j.after {
			way[before] = max(way[before], way[i])
		}
	}
	order := make([]int, len(jobs))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(way[b], way[a]) })
	var now time.Duration
	ends := map[int]time.Duration{} // of those that were begun
	for {
		busy, next := 0, time.Duration(0)
		for _, end := range ends {
			if end > now {
				busy++
			}
		}
		for _, i := range order {
			waits := func(before int) bool { end, begun := ends[before]; return !begun || end > now }
			if _, begun := ends[i]; !begun && busy < slots && !slices.ContainsFunc(jobs[i].after, waits) {
				ends[i], busy = now+jobs[i].takes, busy+1
			}
		}
		for _, end := range ends {
			if end > now && (next == 0 || end < next) {
				next = end
			}
		}
		if next == 0 {
			return now
		}
		now = next
	}
}

func continues(jobs []job) core.PlannerDecision {
	d := core.PlannerDecision{Decision: core.CourseContinue, Reason: "there is more to do"}
	for _, j := range jobs {
		b := core.Brief{ID: j.id, Agent: "worker", Task: "Do " + j.id + ".", Criteria: []core.Criterion{{Text: "It is done"}}, Requires: []string{}, Provided: []string{}, DependsOn: []string{}}
		for _, before := range j.after {
			b.DependsOn = append(b.DependsOn, jobs[before].id)
		}
		d.Delegations = append(d.Delegations, b)
	}
	return d
}

// layOut puts what the planner hands in where it finds it in its nth turn.
func layOut(files map[string]string, turn int, d core.PlannerDecision) error {
	text, err := json.Marshal(d)
	if err != nil {
		return err
	}
	dir := fmt.Sprintf("plans/%d/", turn)
	files[dir+core.DecisionArtifact] = string(text)
	files[dir+core.CompactArtifact] = "It goes well.\n"
	files[dir+core.DetailedArtifact] = "It goes well.\n"
	return nil
}

// waveTimes are when the waves of a run began and were over, and what was done.
type waveTimes struct {
	began, ended time.Time
	done         int
}

// readWaves follows a run to its end.
func (s *station) readWaves(ctx context.Context, run api.Run) (d waveTimes, err error) {
	err = s.app.Service.Follow(ctx, run.ID, 0, func(e core.Event) error {
		body, err := core.Decode(e)
		if err != nil {
			return err
		}
		switch b := body.(type) {
		case core.WaveOpened:
			if d.began.IsZero() {
				d.began = e.At
			}
		case core.VerifyConcluded:
			if b.Output != nil && b.Passed {
				d.done++
			}
		case core.StageOpened:
			if b.Stage == core.PlannerStage {
				d.ended = e.At
			}
		case core.RunPaused:
			return fmt.Errorf("run %s paused: %s", run.Alias, b.Reason)
		case core.RunCompleted:
			return errSeen
		default:
		}
		return nil
	})
	if errors.Is(err, errSeen) {
		return d, nil
	}
	return d, errors.Join(err, errors.New("the run ended before it was completed"))
}
