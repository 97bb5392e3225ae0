package crash

import "fmt"

// story is what the runs of a world do. Its agents keep a ledger outside their
// workspaces, and everything they hand in carries their own name.
type story struct {
	name     string
	playbook string
	scenario string
	// parallel is how many runs there are at once, where nobody says.
	parallel int
	// requested is how many attempts a run takes; a crash of the engine costs none.
	// 0 where that depends on what happens when.
	requested int
	// published are the files of the branch in the end, each with the attempts it is from.
	published map[string]string
	// project: the run drives a project by its plan, and ends when its pull
	// request is merged.
	project bool
	// manager: so it does, and a manager chooses the work.
	manager bool
	// waves: a planner delegates the work in waves, with code as well or documents
	// alone.
	waves, code bool
}

// apart: a person looks on from another process.
func (s story) apart() bool { return s.manager || s.waves }

// begin and end are the agent's entries in the ledger. An end names what was
// made until then: files of the workspace (code:) and documents (out:).
const begin = `      - run: echo "begin $STELLWERK_RUN $STELLWERK_ATTEMPT $$" >> "${LEDGER:-$STELLWERK_OUT/ledger}"
`

func end(made string) string {
	return fmt.Sprintf(`      - run: echo "end $STELLWERK_RUN $STELLWERK_ATTEMPT %s" >> "${LEDGER:-$STELLWERK_OUT/ledger}"
`, made)
}

// sign writes a file with the attempt's name in it.
func sign(path string) string {
	return fmt.Sprintf(`      - run: echo "$STELLWERK_RUN $STELLWERK_ATTEMPT" > "%s"
`, path)
}

// add puts the attempt's name below what a file holds.
func add(path string) string {
	return fmt.Sprintf(`      - run: echo "$STELLWERK_RUN $STELLWERK_ATTEMPT" >> "%s"
`, path)
}

// ledgerEnv hands the ledger to the agents. Isolated ones cannot see it and
// keep their own among their documents.
func ledgerEnv(ledger string) string {
	if ledger == "" {
		return ""
	}
	return fmt.Sprintf(", env: {LEDGER: %q}", ledger)
}

// longStory has an agent that lies, one that crashes in the middle of its work,
// and slow ones, so that kills meet attempts and checks that are running.
func longStory(ledger string) story {
	return story{
		name:     "long",
		parallel: 4,
		playbook: `name: long
kind: phases
agents: {s: {use: scripted, scenario: scenario.yaml` + ledgerEnv(ledger) + `}}
roles: {dev: {agent: s, prompt: work}}
setup: sleep 0.1; echo ready > ready.mark
phases:
  - id: plan
    role: dev
    outputs: [plan.md]
    done:
      - artifact: plan.md
  - id: build
    role: dev
    inputs: [plan.md]
    outputs: [build.md]
    done:
      - changed: build.txt
      - command: sleep 0.2; test -f ready.mark && test -f build.txt
  - id: harden
    role: dev
    outputs: [harden.md]
    done:
      - changed: harden.txt
      - command: test -f ready.mark && test -f partial.txt
      - command: sleep 0.1; test -f harden.txt && test -f build.txt
  - id: polish
    role: dev
    outputs: [polish.md]
    done:
      - changed: polish.txt
  - id: publish
    act: pull-request
    gate: approval
`,
		scenario: `attempts:
  - task: plan
    do:
` + begin + sign("$STELLWERK_OUT/plan.md") + end("out:plan.md") + `
  - task: build
    attempt: 1
    do:
` + begin + end("") + `
      - lie: Everything is done.
  - task: build
    do:
` + begin + `
      - sleep: 150ms
` + sign("build.txt") + sign("$STELLWERK_OUT/build.md") + end("code:build.txt out:build.md") + `
  - task: harden
    attempt: 1
    do:
` + begin + sign("partial.txt") + end("code:partial.txt") + `
      - crash: KILL
  - task: harden
    do:
` + begin + sign("harden.txt") + `
      - commit: harden it
` + sign("$STELLWERK_OUT/harden.md") + end("code:harden.txt out:harden.md") + `
  - task: polish
    do:
` + begin + `
      - sleep: 400ms
` + sign("polish.txt") + sign("$STELLWERK_OUT/polish.md") + end("code:polish.txt out:polish.md"),
		requested: 6,
		published: map[string]string{
			"build.txt": "build.r1.a2", "partial.txt": "harden.r1.a1", "harden.txt": "harden.r1.a2", "polish.txt": "polish.r1.a1",
		},
	}
}

// shortStory is one agent that lies once: few steps, each of them a place to die.
func shortStory(ledger string) story {
	return story{
		name: "short",
		playbook: `name: short
kind: phases
agents: {s: {use: scripted, scenario: scenario.yaml` + ledgerEnv(ledger) + `}}
roles: {dev: {agent: s, prompt: work}}
phases:
  - id: build
    role: dev
    outputs: [build.md]
    done:
      - changed: build.txt
      - command: test -f build.txt
  - id: publish
    act: pull-request
    gate: approval
`,
		scenario: `attempts:
  - task: build
    attempt: 1
    do:
` + begin + end("") + `
      - lie: Everything is done.
  - task: build
    do:
` + begin + sign("build.txt") + sign("$STELLWERK_OUT/build.md") + end("code:build.txt out:build.md"),
		requested: 2,
		published: map[string]string{"build.txt": "build.r1.a2"},
	}
}

// idleStory has an agent that does nothing and does not end.
func idleStory(ledger string) story {
	told := shortStory(ledger)
	told.scenario = `attempts:
  - task: build
    do:
` + begin + `
      - hang: {ignore_term: false}
`
	return told
}
