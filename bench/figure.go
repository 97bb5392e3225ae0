package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/sandbox"
)

// figure is one promise: how it is measured and the ratio it must keep to.
type figure struct {
	name    string
	what    string
	limit   float64
	atLeast bool   // the ratio must not fall below the limit, rather than rise above it
	of      string // what the ratio is taken of
	measure func(context.Context, *workshop) (outcome, error)
}

// outcome is a ratio and the two sides it was taken of, in words.
type outcome struct {
	ratio          float64
	measured, base string
	skipped        string // why nothing was measured
}

func figures() []figure {
	return []figure{
		{name: "start", what: "event → decision → process started", limit: 3, of: "2 commits + fork/exec", measure: start},
		{name: "steps", what: "steps per second, 100 runs in parallel", limit: 0.4, atLeast: true, of: "bare commits/s", measure: steps},
		{name: "long-run", what: "a step after 10,000 events", limit: 1.3, of: "a step after 100", measure: longRun},
		{name: "workspace", what: "workspace ready", limit: 1.5, of: "git worktree add", measure: workspace},
		{name: "rebuild", what: "a lost yard of 1,000 deliveries filled", limit: 2, of: "git clone of it", measure: rebuild},
		{name: "verdict", what: "second check of the same delivery", limit: 0.05, of: "the first", measure: verdict},
		{name: "memory", what: "resident memory, 1,000 active runs", limit: 1, of: "256 MB", measure: memory},
		{name: "version", what: "stellwerk version", limit: 6, of: "hello, world", measure: version},
		{name: "hook", what: "a tool call's hook, whole process, p50", limit: 2, of: "hello, world", measure: hookMedian},
		{name: "hook-p99", what: "the same, p99", limit: 5, of: "hello, world", measure: hookTail},
		{name: "hook-crowd", what: "20 hooks at once, p99", limit: 1, of: "50 ms", measure: hookCrowd},
		{name: "hook-bash", what: "the same decisions in bash and jq", limit: 20, atLeast: true, of: "the hook", measure: hookBash},
		{name: "hook-long", what: "decision on a command of 70 kB", limit: 1, of: "10 ms", measure: hookLong},
		{name: "stop-text", what: "what a turn's end adds, 8 stages", limit: 1, of: "2.5 KB", measure: stopText},
		{name: "handover", what: "worker's end → manager started", limit: 2, of: "a step of the engine", measure: handover},
		{name: "fleet", what: "50 projects × 20 steps", limit: 1.1, of: "the ideal schedule", measure: fleet},
		{name: "waiting", what: "events of a task, 1,000 runs in line", limit: 1.05, of: "with 10 in line", measure: waiting},
		{name: "succession", what: "clean handover of 100 projects", limit: 1, of: "2 s", measure: succession(false)},
		{name: "succession-kill", what: "so, after a kill", limit: 1, of: "the lease and 2 s", measure: succession(true)},
		{name: "restart", what: "a command on 100 open runs", limit: 1.1, of: "the program before", measure: restart},
		{name: "first-run", what: "first run in 1 GB given by path", limit: 1.2, of: "the program before", measure: firstRun(false)},
		{name: "first-run-disk", what: "so, disk of the state folder", limit: 1.1, of: "the program before", measure: firstRun(true)},
		{name: "waves", what: "200 delegations in waves, 8 slots", limit: 1.2, of: "the ideal schedule", measure: wavesOff},
		{name: "cycle", what: "an attempt's whole cycle", limit: 0.5, of: "the program before", measure: cycle(sandbox.None)},
		{name: "cycle-sandbox", what: "so, in the sandbox", limit: 0.6, of: "the program before", measure: cycle(sandbox.Sandbox)},
		{name: "exchange", what: "an attempt over HTTP, idle", limit: 1.5, of: "one by folder", measure: overHTTP},
		{name: "processes", what: "processes started per attempt", limit: 1, of: "10", measure: processes},
		{name: "turn-size", what: "manager's prompt after 1,000 tasks", limit: 1.2, of: "after 10", measure: turnSize},
		{name: "packet", what: "what the 50th wave reads", limit: 1.2, of: "the 2nd", measure: packetSize},
		{name: "packet-narrow", what: "so, one delegation a wave", limit: 1.2, of: "the 6th", measure: packetNarrow},
		{name: "plan", what: "plan of 500 steps: read, mark, write", limit: 1, of: "20 ms", measure: planFile},
		{name: "admission", what: "admission of 1,000 delegations, CPU", limit: 1, of: "20 ms", measure: admissionSet},
		{name: "facts", what: "merge of 10,000 facts, CPU", limit: 1, of: "100 ms", measure: facts},
		{name: "replay", what: "replay of 100,000 events, CPU", limit: 1, of: "2 s", measure: replay},
		{name: "page", what: "run page of 500 tasks: first byte, size", limit: 1, of: "50 ms, 200 KB", measure: runPage},
		{name: "drawn", what: "the same, drawn in Chromium", limit: 1, of: "1 s", measure: drawn},
		{name: "live", what: "event → 200 open pages, p99", limit: 1, of: "100 ms", measure: liveEvents},
		{name: "list", what: "pages over 10,000 runs: first byte", limit: 1, of: "100 ms", measure: longList},
		{name: "idle", what: "idle engine with 50 projects", limit: 1, of: "1% of a core, 150 MB", measure: idle},
		{name: "walls", what: "start of an attempt behind all walls", limit: 1.5, of: "in a sandbox without", measure: wallsStart},
		{name: "tunnel", what: "256 MiB over TLS through bridge and proxy", limit: 0.7, atLeast: true, of: "direct on loopback", measure: tunnelSpeed},
		{name: "tunnel-plain", what: "so, without TLS", limit: 0.5, atLeast: true, of: "direct on loopback", measure: tunnelPlain},
		{name: "tunnel-first", what: "so, first byte over TLS", limit: 2, of: "direct on loopback", measure: tunnelFirst},
		{name: "model", what: "an answer through bridge and broker", limit: 0.7, atLeast: true, of: "direct on loopback", measure: modelSpeed},
		{name: "model-first", what: "so, first event", limit: 2, of: "direct on loopback", measure: modelFirst},
		{name: "team-wake", what: "PostgreSQL: word elsewhere → owner acts", limit: 1, of: "River 0.50, insert → begun", measure: wakes},
		{name: "team-steps", what: "PostgreSQL: steps per second, 1,000 runs", limit: 0.4, atLeast: true, of: "bare commits/s", measure: teamSteps},
		{name: "team-page", what: "PostgreSQL: run page, an engine not the owner", limit: 2, of: "the owner's", measure: pageElsewhere},
		{name: "team-start", what: "PostgreSQL: start with 10,000 open runs", limit: 1, of: "3 × 10 × 1,000; 400 MB", measure: takeUp},
		{name: "team-durable", what: "PostgreSQL: 1,000 durable events/s, p99", limit: 1, of: "3 × bare, memory × 1.2", measure: durable},
		{name: "team-two", what: "PostgreSQL far away: words/s, 2 engines", limit: 1.7, atLeast: true, of: "one engine", measure: scale(2)},
		{name: "team-four", what: "PostgreSQL far away: words/s, 4 engines", limit: 3, atLeast: true, of: "one engine", measure: scale(4)},
		{name: "redaction", what: "redaction of a stream, CPU", limit: 1.2, of: "line by line", measure: redaction},
	}
}

// lasting are the figures that can be measured for longer.
var lasting = []string{"team-durable"}

func (f figure) holds(o outcome) bool {
	if o.skipped != "" {
		return true
	}
	if f.atLeast {
		return o.ratio >= f.limit
	}
	return o.ratio <= f.limit
}

func names() []string {
	var all []string
	for _, f := range figures() {
		all = append(all, f.name)
	}
	return all
}

func choose(only string) ([]figure, error) {
	if only == "" {
		return figures(), nil
	}
	for _, f := range figures() {
		if f.name == only {
			return []figure{f}, nil
		}
	}
	return nil, fmt.Errorf("no figure %q: choose among %s", only, strings.Join(names(), ", "))
}

const layout = "%-40s  %-34s  %-29s  %6s  %s\n"

func header(w io.Writer) {
	fmt.Fprintf(w, layout, "what", "measured", "limit", "ratio", "")
	fmt.Fprintf(w, layout, strings.Repeat("-", 40), strings.Repeat("-", 34), strings.Repeat("-", 29), "------", "----")
}

func row(w io.Writer, f figure, o outcome) {
	sides, bound, verdict := o.measured, "≤", "ok"
	if o.base != "" {
		sides += " : " + o.base
	}
	if f.atLeast {
		bound = "≥"
	}
	if !f.holds(o) {
		verdict = "over"
	}
	ratio := fmt.Sprintf("%.2f", o.ratio)
	if o.skipped != "" {
		sides, ratio, verdict = o.skipped, "", "skipped"
	}
	fmt.Fprintf(w, layout, f.what, sides, fmt.Sprintf("%s %g × %s", bound, f.limit, f.of), ratio, verdict)
}
