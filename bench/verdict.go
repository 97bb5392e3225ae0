package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// twicePlaybook has an agent that hands the same work in twice: the second
// check holds for nobody, so what the first attempt delivered is delivered and
// checked again.
const twicePlaybook = `
name: bench
kind: phases
agents: {writer: {use: command, run: [sh, -c, "echo $STELLWERK_RUN > delivered.txt"]}}
roles: {dev: {agent: writer, prompt: Work.}}
phases:
  - id: build
    role: dev
    attempts: 2
    done:
      - command: "test -s delivered.txt"
      - state: .never == true
`

// verdict compares the second verification of a delivery with the first, as
// the dispatcher times them. The first makes a clean checkout and runs the
// check's command in it beside the real program; the command itself is the
// cheapest there is, so that what Stellwerk adds is the whole of the figure.
// The second finds the verdict it remembers. Each run has a delivery of its
// own, so that no verdict is remembered from the run before.
func verdict(ctx context.Context, shop *workshop) (o outcome, err error) {
	s, err := openStation(ctx, shop, "verdict", twicePlaybook, nil)
	if err != nil {
		return o, err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	var first, second []time.Duration
	for n := range shop.times(30) {
		run, err := s.run(ctx, fmt.Sprintf("be checked twice %d", n))
		if err != nil {
			return o, err
		}
		seq := int64(0)
		for i, side := range []*[]time.Duration{&first, &second} {
			e, err := s.await(ctx, run.ID, seq, core.TypeVerifyConcluded)
			if err != nil {
				return o, err
			}
			took, err := verified(e, i == 1)
			if err != nil {
				return o, err
			}
			*side, seq = append(*side, took), e.Seq
		}
		if _, err := s.await(ctx, run.ID, seq, core.TypePersonNotified); err != nil {
			return o, err
		}
	}
	return compare(second, first, short), nil
}

// verified is how long a verification took. It fails where the command's
// verdict is not the expected one, remembered or not.
func verified(e core.Event, remembered bool) (time.Duration, error) {
	var v core.VerifyConcluded
	if err := json.Unmarshal(e.Body, &v); err != nil {
		return 0, err
	}
	for _, r := range v.Results {
		if r.Kind == core.CheckCommand && r.Passed && r.Reused == remembered {
			return v.Duration, nil
		}
	}
	return 0, fmt.Errorf("the check did not go as planned: %s", e.Body)
}
