package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"
)

// waitingPlaybook has a run that waits for a person after its first phase.
const waitingPlaybook = `
name: bench
kind: phases
agents: {writer: {use: command, run: [sh, -c, "echo done >> work.txt"]}}
roles: {dev: {agent: writer, prompt: Work.}}
phases:
  - {id: build, role: dev, gate: approval, done: [{command: "true"}]}
`

// restart compares how long a command takes on a state folder with many open runs of as many projects
// with the same of the program named with -before: no engine runs, so the command is one, which takes over all
// that is open, answers and ends. Each program has a folder that it filled itself; they take turns.
func restart(ctx context.Context, shop *workshop) (outcome, error) {
	program, err := shop.stellwerk(ctx)
	if err != nil {
		return outcome{}, err
	}
	if shop.before == "" {
		return outcome{skipped: "needs -before"}, nil
	}
	projects := 100
	if shop.quick {
		projects = 10
	}
	var homes [2]home
	programs := [2]string{program, shop.before}
	for i, program := range programs {
		if homes[i], err = openHome(shop, "restart"); err != nil {
			return outcome{}, err
		}
		for n := range projects {
			dir := filepath.Join(homes[i].dir, fmt.Sprintf("project-%d", n))
			if err := smallRepository(ctx, dir, waitingPlaybook); err != nil {
				return outcome{}, err
			}
			if _, err := homes[i].run(ctx, filepath.Join(dir, "source"), program, "run", "--playbook", "bench", "--isolation", "none", "--trust", "do it"); err != nil {
				return outcome{}, err
			}
		}
	}
	var took [2][]time.Duration
	for range shop.times(40) {
		for i, program := range programs {
			began := time.Now()
			out, err := homes[i].run(ctx, homes[i].dir, program, "status", "--json")
			if err != nil {
				return outcome{}, err
			}
			took[i] = append(took[i], time.Since(began))
			if n := strings.Count(out, `"alias":`); n < projects {
				return outcome{}, fmt.Errorf("%d of %d runs are listed:\n%s", n, projects, out)
			}
		}
	}
	return compare(took[0], took[1], short), nil
}
