package scripted

import (
	"context"
	"fmt"
	"os"

	"go.yaml.in/yaml/v3"

	"github.com/stellwerk-dev/stellwerk/internal/agent/scenario"
)

// Scenario is a list of parts. In YAML:
//
//	attempts:
//	  - task: backend            # conditions, all optional: task, role, round, attempt
//	    attempt: 1
//	    do:
//	      - say: I know what to do.
//	      - lie: Done.           # claims success and ends
//	  - task: backend            # every other attempt of this task
//	    do:
//	      - expect_prompt: "hello.txt"
//	      - write: {path: hello.txt, content: "hello\n"}
//	      - commit: add the greeting
//	      - report: {status: completed, context: {tests: {passed: true}}}
//
// The first part whose conditions hold is played; when none does, the agent
// fails and says so. A part that reaches its end claims success. Paths are
// relative to the workspace; with the prefix out: to the folder of output
// artifacts. The steps, each a mapping with one key:
//
//	say: TEXT                                  something the agent says
//	write: {path, content}                     replaces the file, making its folders
//	append: {path, content}
//	delete: PATH                               with everything below it
//	commit: MESSAGE                            all changes of the workspace
//	run: COMMAND                               by the shell; a failure ends the play with exit code 1
//	try: COMMAND                               the same, going on whatever happens
//	try_push: {remote: origin, ref: HEAD:main} reports how a git push ended
//	sleep: DURATION
//	usage: {model, input, output, cache_read, cache_write, cost_usd}   adds to the totals
//	ask: QUESTION                              adds to blocking_questions of report.json
//	report: {…}                                writes report.json
//	expect_prompt: REGEXP                      ends with exit code 3 unless the prompt matches
//	read_in: NAME                              ends with exit code 3 unless the input artifact exists
//	flood: {bytes: N, to: stdout, line: 1024}  output of N bytes in lines of that length, to stdout or stderr
//	spawn_daemon: {run: COMMAND, keep_output: false}   a process in a session of its own
//	tool: [send-message, "Hello"]              calls a program, which must succeed; or must be refused:
//	tool: {call: [update-plan, "nothing"], refused: TEXT}
//
// Steps use the tools Read, Write and Bash. One that the role's list of tools
// does not allow is denied, as a real agent's program would, and ends the play but
// for try and try_push. Those that end the play:
//
//	lie: TEXT                                  claims success
//	fail: {class, message, retry_in}           reports a failure of that class, exit code 1
//	crash: 7                                   ends with that exit code and no result; or by a signal:
//	crash: KILL                                KILL, TERM, INT or HUP
//	hang: {ignore_term: true}                  never ends by itself
type Scenario struct {
	Parts []Part
}

// Part is what one attempt does.
type Part struct {
	Task, Role     string
	Round, Attempt int

	steps []step
}

// step is one act. A step that ends the play sets the session's ending; an error
// says that the act could not be performed, and ends the play as well.
type step interface {
	play(ctx context.Context, s *session) error
}

// Load reads the scenario in the file at path.
func Load(path string) (*Scenario, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("reading the scenario: %w", err)
	}
	return Parse(path, data)
}

// Parse reads a scenario; name appears in errors.
func Parse(name string, data []byte) (*Scenario, error) {
	parsed := &Scenario{}
	fields := scenario.Fields{"attempts": scenario.List(parsed.addPart)}
	err := scenario.Read(name, data, func(node *yaml.Node) error {
		if err := fields.Decode(node); err != nil {
			return err
		}
		if len(parsed.Parts) == 0 {
			return scenario.Errorf(node, "the scenario has no attempts")
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return parsed, nil
}

func (s *Scenario) addPart(node *yaml.Node) error {
	var part Part
	ended := false
	err := scenario.Fields{
		"task":    scenario.String(&part.Task),
		"role":    scenario.String(&part.Role),
		"round":   scenario.Int(&part.Round),
		"attempt": scenario.Int(&part.Attempt),
		"do": scenario.List(func(node *yaml.Node) error {
			if ended {
				return scenario.Errorf(node, "this step is never reached; the one before it ends the play")
			}
			next, err := decodeStep(node)
			if err != nil {
				return err
			}
			_, ended = next.(finalStep)
			part.steps = append(part.steps, next)
			return nil
		}),
	}.Decode(node)
	if err != nil {
		return err
	}
	if len(part.steps) == 0 {
		return scenario.Errorf(node, "the attempt does nothing; give it steps under do")
	}
	s.Parts = append(s.Parts, part)
	return nil
}

// part is the first whose conditions the environment meets, or nil.
func (s *Scenario) part(env *Env) *Part {
	for i := range s.Parts {
		p := &s.Parts[i]
		if (p.Task == "" || p.Task == env.Task) && (p.Role == "" || p.Role == env.Role) &&
			(p.Round == 0 || p.Round == env.Round) && (p.Attempt == 0 || p.Attempt == env.Attempt) {
			return p
		}
	}
	return nil
}

// decodeStep reads a mapping whose only key names the step.
func decodeStep(node *yaml.Node) (step, error) {
	if node.Kind != yaml.MappingNode || len(node.Content) != 2 {
		return nil, scenario.Errorf(node, "a step is a mapping with one key, such as say: hello")
	}
	var decoded step
	set := func(s step, decode scenario.Decoder) scenario.Decoder {
		return func(node *yaml.Node) error {
			decoded = s
			return decode(node)
		}
	}
	if err := stepFields(set).Decode(node); err != nil {
		return nil, err
	}
	return decoded, nil
}
