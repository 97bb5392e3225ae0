package powercut

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// project has all the runs.
const project = "project-1"

// writers is how many runs are written at the same time.
const writers = 4

// runID is the nth run of a writer.
func runID(writer, n int) string {
	return fmt.Sprintf("0199a000-0000-7000-8000-%04d%08d", writer, n)
}

// step is what is committed at once, after its objects were put.
type step struct {
	objects []string
	actor   core.Actor
	bodies  []core.Body
}

// script is the story of a run, always the same: a stage with two attempts that talk, and the end.
func script(run string) []step {
	r := rand.New(rand.NewPCG(1, uint64(len(run))+hashed(run)))
	ada := core.Person("ada")
	steps := []step{
		by(ada, core.RunStarted{Run: run, Alias: "calm-fox", Playbook: core.Playbook{
			Kind: "phases", Roles: map[string]core.Role{"writer": {}},
			Phases: []core.Phase{{ID: "plan", Role: "writer", Writes: core.WritesArtifacts}},
		}}),
		by(core.Engine(), core.StageOpened{Stage: "plan", Round: 1},
			core.TaskAdmitted{Task: "plan.r1", Stage: "plan", Round: 1, Role: "writer", Outputs: []string{"plan.md"}, Attempts: 2}),
	}
	for n := 1; n <= 2; n++ {
		steps = append(steps, attempt(r, n)...)
	}
	return append(steps, by(core.Engine(), core.RunCompleted{}), by(core.Engine(), core.RunSwept{}))
}

func by(actor core.Actor, bodies ...core.Body) step { return step{actor: actor, bodies: bodies} }

// hashed makes the story of each run another one.
func hashed(run string) uint64 {
	sum := sha256.Sum256([]byte(run))
	return uint64(sum[0])<<8 | uint64(sum[1])
}

// attempt hands in a plan and a transcript. Its messages are of all sizes, so that lines end anywhere in a sector, and some
// fill several.
func attempt(r *rand.Rand, n int) []step {
	id := fmt.Sprintf("plan.r1.a%d", n)
	agent := core.Actor{Kind: core.ActorAgent, ID: id}
	steps := []step{
		by(core.Engine(), core.AttemptRequested{Task: "plan.r1", Attempt: id, N: n}, core.AttemptStarted{Attempt: id, Agent: "claude"}),
	}
	for range 2 {
		var said []core.Body
		for range 1 + r.IntN(3) {
			said = append(said, core.MessageSent{Text: words(r, 1+r.IntN(3000))})
		}
		steps = append(steps, by(agent, said...))
	}
	transcript, plan := transcriptOf(r, id), words(r, 1+r.IntN(30_000))
	exited := core.AttemptExited{Attempt: id, Kind: core.ExitFinished, Observed: true, Transcript: artifact("", transcript).Digest,
		Delivery: &core.Delivery{Artifacts: []core.Artifact{artifact("plan.md", plan)}}}
	return append(steps, step{objects: []string{transcript, plan}, actor: core.Engine(), bodies: []core.Body{exited}})
}

func transcriptOf(r *rand.Rand, attempt string) string {
	var lines strings.Builder
	for n := range 1 + r.IntN(20) {
		line, err := json.Marshal(map[string]any{"n": n + 1, "record": map[string]any{
			"kind": "tool_call", "tool_id": fmt.Sprint(n), "tool": "Bash", "text": attempt, "input": map[string]string{"command": words(r, 1+r.IntN(200))},
		}})
		if err != nil {
			panic(err) // these are strings
		}
		lines.Write(append(line, '\n'))
	}
	return lines.String()
}

func artifact(name, content string) core.Artifact {
	sum := sha256.Sum256([]byte(content))
	return core.Artifact{Name: name, Digest: hex.EncodeToString(sum[:]), Size: int64(len(content))}
}

func words(r *rand.Rand, length int) string {
	text := make([]byte, length)
	for i := range text {
		text[i] = "etaoin shrdlu cmfwyp"[r.IntN(20)]
	}
	return string(text)
}

// next is how many steps of a script so many events are, and whether they end with one.
func next(steps []step, events int64) (done int, whole bool) {
	var seen int64
	for i, s := range steps {
		if seen >= events {
			return i, seen == events
		}
		seen += int64(len(s.bodies))
	}
	return len(steps), seen == events
}
