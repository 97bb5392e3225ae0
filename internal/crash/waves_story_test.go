package crash

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// studyStory is a goal that ends in documents.
func studyStory(ledger string) story {
	s := wavesStory(ledger, false)
	s.name, s.playbook = "study", "name: study\n"+s.playbook+"waves: {writes: artifacts}\n"
	return s
}

// buildStory is a goal that ends in a pull request. Two delegations write into one
// file, so that the one that is merged last has a conflict, which an agent puts
// right.
func buildStory(ledger string) story {
	s := wavesStory(ledger, true)
	s.name, s.code, s.playbook = "build", true, "name: build\n"+s.playbook+`waves:
  writes: code
  done:
    - command: sleep 0.1; ! grep -qs '<<<<<<<' *.txt
publish: {push: ask}
`
	s.published = map[string]string{
		"survey.txt": "survey.r1.a1", "files.txt": "files.r1.a2", "licence.txt": "licence.r1.again2.a1", "early.txt": "licence.r1.a1",
		"shared.txt": "files.r1.a2 licence.r1.again2.a1", "tone.txt": "tone.r1.again2.a1", "advice.txt": "advice.r1.a1", "report.txt": "report.r1.a1",
	}
	return s
}

// wavesStory is a goal in waves: a diamond of delegations, beside one that the gate
// refuses. Of its middle one hands in rubbish first; one is blocked until a person
// answers, and one until nobody did for a while. When all came together a last
// piece is delegated. How many waves that takes depends on when the answers come,
// so the planner goes by what is there.
func wavesStory(ledger string, code bool) story {
	crafts := func(out, files string) string { // what a worker makes
		steps := ""
		if out != "" {
			steps, out = sign("$STELLWERK_OUT/"+out), "out:"+out
		}
		for file := range strings.FieldsSeq(files) {
			if code && file == "shared.txt" {
				steps, out = steps+add(file), out+" code:"+file
			} else if code {
				steps, out = steps+sign(file), out+" code:"+file
			}
		}
		return steps + end(strings.TrimSpace(out))
	}
	return story{
		waves:    true,
		parallel: 2,
		playbook: `kind: waves
agents: {s: {use: scripted, scenario: scenario.yaml` + ledgerEnv(ledger) + `}}
defaults: {agent: s}
roles:
  thinker: {prompt: Plan.}
  scout: {prompt: Look., capabilities: [read]}
planner: {role: thinker}
`,
		scenario: `attempts:
  - task: planner
    round: 1
    attempt: 1
    do:
` + begin + `
      - write: {path: "out:planner_decision.json", content: "Let us begin."}
` + end("") + `
  - task: planner
    round: 1
    do:
` + begin + handIn(core.DecisionArtifact, firstLook()) + end("") + `
  - task: planner
    do:
` + begin + sign("$STELLWERK_OUT/wave_compact.md") + sign("$STELLWERK_OUT/wave_detailed.md") + shell(closing()) + end("out:wave_compact.md out:wave_detailed.md") + `
  - task: survey
    do:
` + begin + handIn(core.OutputArtifact, completed("survey", core.Claimed{Key: "engine", Content: "sqlite"})) + crafts("survey.md", "survey.txt") + `
  - task: files
    attempt: 1
    do:
` + begin + `
      - write: {path: "out:worker_output.json", content: "It is done."}
` + end("") + `
  - task: files
    do:
` + begin + `
      - read_in: inputs/survey.md
      - sleep: 200ms
` + handIn(core.OutputArtifact, completed("files", core.Claimed{Key: "engine", Content: "files"})) + crafts("files.md", "files.txt shared.txt") + `
  - task: licence/again2
    do:
` + begin + `
      - expect_prompt: ` + wordColour + "\n" + handIn(core.OutputArtifact, completed("licence")) + crafts("licence.md", "licence.txt shared.txt") + `
  - task: licence
    do:
` + begin + handIn(core.OutputArtifact, blocked("licence", core.Asked{Text: "Which licence?", About: "licence"})) + crafts("", "early.txt") + `
  - task: tone/again2
    do:
` + begin + `
      - expect_prompt: plainly
` + handIn(core.OutputArtifact, completed("tone")) + crafts("tone.md", "tone.txt") + `
  - task: tone
    do:
` + begin + handIn(core.OutputArtifact, blocked("tone", core.Asked{Text: "In which tone?", About: "tone", Default: "plainly", After: "1s"})) + crafts("", "") + `
  - task: advice
    do:
` + begin + handIn(core.OutputArtifact, completed("advice", core.Claimed{Key: "advice", Content: "take sqlite"})) + crafts("advice.md", "advice.txt") + `
  - task: report
    do:
` + begin + `
      - read_in: inputs/advice.md
` + handIn(core.OutputArtifact, completed("report")) + crafts("report.md", "report.txt") + `
  - task: licence/resolve
    do:
` + begin + keepBoth + end("") + `
  - task: files/resolve
    do:
` + begin + keepBoth + end(""),
	}
}

// keepBoth puts a merge right. Of files and licence the one that is done last is in
// conflict with the other.
const keepBoth = `
      - try: git merge -q "$(grep -o 'git merge [0-9a-f]*' "$STELLWERK_PROMPT" | head -1 | cut -d' ' -f3)"
      - run: sed -i '/^[<=>]\{7\}/d' shared.txt
      - commit: keep both
`

// brief is a delegation of the stories in waves.
func brief(id string, requires []string, after ...string) core.Brief {
	return core.Brief{
		ID: id, Agent: "scout", Task: "See to " + id + ".", Criteria: []core.Criterion{{Text: criterion(id)}},
		Requires: append([]string{}, requires...), Provided: []string{}, DependsOn: append([]string{}, after...), Outputs: []string{id + ".md"},
	}
}

func criterion(id string) string { return id + " was seen to" }

// firstLook delegates the diamond, and something that nobody can do.
func firstLook() core.PlannerDecision {
	paint := brief("paint", nil)
	paint.Agent = "painter"
	survey := []string{"survey.md"}
	return core.PlannerDecision{Decision: core.CourseContinue, Reason: "look around first", Delegations: []core.Brief{
		brief("survey", nil), brief("files", survey, "survey"), brief("licence", survey, "survey"), brief("tone", nil, "survey"),
		brief("advice", survey, "files", "licence", "tone"), paint,
	}}
}

// closing is a planner that closes a wave: it goes by what was handed in.
func closing() string {
	decide := func(d core.PlannerDecision) string {
		return fmt.Sprintf("cat > \"$STELLWERK_OUT/%s\" <<'EOF'\n%s\nEOF\n", core.DecisionArtifact, text(d))
	}
	return `
there() { grep -q "\"$1\"" "$STELLWERK_IN/context.json"; }
if there report.md; then
` + decide(core.PlannerDecision{Decision: core.CourseFinish, Reason: "it is reported"}) + `
elif there advice.md; then
` + decide(core.PlannerDecision{
		Decision: core.CourseContinue, Reason: "a report is missing", Delegations: []core.Brief{brief("report", []string{"advice.md"})},
		Facts: []core.Claimed{{Key: "engine", Content: "sqlite"}},
	}) + `
else
` + decide(core.PlannerDecision{
		Decision: core.CourseContinue, Reason: "answers are missing", Facts: []core.Claimed{{Key: "patience", Content: "is needed"}},
	}) + `
fi
`
}

// completed is the answer of a worker that met its only criterion.
func completed(id string, facts ...core.Claimed) core.WorkerOutput {
	out := said(id, core.OutputCompleted)
	out.Facts, out.Coverage.Met = facts, []string{criterion(id)}
	return out
}

// blocked is the answer of one that cannot go on.
func blocked(id string, question core.Asked) core.WorkerOutput {
	out := said(id, core.OutputBlocked)
	out.Blocking, out.Coverage.Unmet = []core.Asked{question}, []string{criterion(id)}
	return out
}

func said(id string, status core.OutputStatus) core.WorkerOutput {
	return core.WorkerOutput{
		Status: status, Compact: id + " in short.", Detailed: id + " in full.", Blocking: []core.Asked{}, Optional: []core.Asked{},
		Missing: []core.Asked{}, Assumptions: []core.Claimed{}, Coverage: core.Coverage{Met: []string{}, Unmet: []string{}},
	}
}

// handIn is a step that writes a document.
func handIn(name string, content any) string {
	return fmt.Sprintf("      - write: {path: \"out:%s\", content: '%s'}\n", name, strings.ReplaceAll(text(content), "'", "''"))
}

func text(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err) // these types have nothing that cannot be written
	}
	return string(data)
}
