package scripted

import (
	"strconv"
	"strings"
	"syscall"

	"go.yaml.in/yaml/v3"

	"github.com/stellwerk-dev/stellwerk/internal/agent"
	"github.com/stellwerk-dev/stellwerk/internal/agent/scenario"
)

// stepFields is the table of all steps: how each is written in YAML.
func stepFields(set func(step, scenario.Decoder) scenario.Decoder) scenario.Fields {
	var (
		speech  say
		writing = writeFile{}
		adding  = writeFile{appending: true}
		removal deleteFile
		commit  gitCommit
		must    = shell{must: true}
		try     shell
		push    = tryPush{remote: "origin", ref: "HEAD:main"}
		rest    sleep
		used    addUsage
		ask     askQuestion
		report  writeReport
		prompt  expectPrompt
		input   readInput
		output  = flood{to: "stdout", line: 1024}
		daemon  spawnDaemon
		call    callTool
		lie     claim
		failure fail
		end     crash
		waiting hang
	)
	return scenario.Fields{
		"say":           set(&speech, scenario.String(&speech.text)),
		"write":         set(&writing, writing.decode),
		"append":        set(&adding, adding.decode),
		"delete":        set(&removal, scenario.String(&removal.path)),
		"commit":        set(&commit, scenario.String(&commit.message)),
		"run":           set(&must, scenario.String(&must.command)),
		"try":           set(&try, scenario.String(&try.command)),
		"try_push":      set(&push, push.decode),
		"sleep":         set(&rest, scenario.Duration(&rest.length)),
		"usage":         set(&used, used.decode),
		"ask":           set(&ask, scenario.String(&ask.question)),
		"report":        set(&report, report.decode),
		"expect_prompt": set(&prompt, scenario.Regexp(&prompt.pattern)),
		"read_in":       set(&input, scenario.String(&input.name)),
		"flood":         set(&output, output.decode),
		"spawn_daemon":  set(&daemon, daemon.decode),
		"tool":          set(&call, call.decode),
		"lie":           set(&lie, scenario.String(&lie.text)),
		"fail":          set(&failure, failure.decode),
		"crash":         set(&end, end.decode),
		"hang":          set(&waiting, waiting.decode),
	}
}

func (w *writeFile) decode(node *yaml.Node) error {
	err := scenario.Fields{
		"path":    scenario.String(&w.path),
		"content": scenario.String(&w.content),
	}.Decode(node)
	if err == nil && w.path == "" {
		return scenario.Errorf(node, "the file has no path")
	}
	return err
}

func (p *tryPush) decode(node *yaml.Node) error {
	return scenario.Fields{
		"remote": scenario.String(&p.remote),
		"ref":    scenario.String(&p.ref),
	}.Decode(node)
}

func (u *addUsage) decode(node *yaml.Node) error {
	return scenario.Fields{
		"model":       scenario.String(&u.model),
		"input":       scenario.Int(&u.used.InputTokens),
		"output":      scenario.Int(&u.used.OutputTokens),
		"cache_read":  scenario.Int(&u.used.CacheReadTokens),
		"cache_write": scenario.Int(&u.used.CacheWriteTokens),
		"cost_usd":    scenario.Float(&u.used.CostUSD),
	}.Decode(node)
}

// decode takes any mapping, and a string as the file's very text: an agent may
// hand in a report that is no JSON at all.
func (r *writeReport) decode(node *yaml.Node) error {
	if node.Kind == yaml.ScalarNode {
		return scenario.String(&r.raw)(node)
	}
	if err := node.Decode(&r.fields); err != nil {
		return scenario.Errorf(node, "expected the fields of report.json, or its text")
	}
	return nil
}

func (f *flood) decode(node *yaml.Node) error {
	err := scenario.Fields{
		"bytes": scenario.Int(&f.bytes),
		"to":    scenario.String(&f.to),
		"line":  scenario.Int(&f.line),
	}.Decode(node)
	if err != nil {
		return err
	}
	if f.to != "stdout" && f.to != "stderr" {
		return scenario.Errorf(node, "to is stdout or stderr")
	}
	if f.line < 1 || f.bytes < 1 {
		return scenario.Errorf(node, "bytes and line are at least 1")
	}
	return nil
}

func (d *spawnDaemon) decode(node *yaml.Node) error {
	err := scenario.Fields{
		"run":         scenario.String(&d.command),
		"keep_output": scenario.Bool(&d.keepOutput),
	}.Decode(node)
	if err == nil && d.command == "" {
		return scenario.Errorf(node, "the daemon has nothing to run")
	}
	return err
}

func (f *fail) decode(node *yaml.Node) error {
	err := scenario.Fields{
		"class":    scenario.String((*string)(&f.class)),
		"message":  scenario.String(&f.message),
		"retry_in": scenario.Duration(&f.retryIn),
	}.Decode(node)
	if err != nil {
		return err
	}
	switch f.class {
	case "":
		f.class = agent.ClassCrashed
	case agent.ClassAPIError, agent.ClassUsageLimit, agent.ClassAuth, agent.ClassNetwork, agent.ClassBudget,
		agent.ClassMaxTurns, agent.ClassRefused, agent.ClassCrashed, agent.ClassProtocol:
	default:
		return scenario.Errorf(node, "unknown class %q", f.class)
	}
	return nil
}

func (c *crash) decode(node *yaml.Node) error {
	signals := map[string]syscall.Signal{
		"KILL": syscall.SIGKILL, "TERM": syscall.SIGTERM, "INT": syscall.SIGINT, "HUP": syscall.SIGHUP,
	}
	var text string
	if err := scenario.String(&text)(node); err != nil {
		return err
	}
	if number, known := signals[strings.TrimPrefix(text, "SIG")]; known {
		c.signal = number
		return nil
	}
	code, err := strconv.Atoi(text)
	if err != nil || code < 0 || code > 125 {
		return scenario.Errorf(node, "expected an exit code up to 125, or one of the signals KILL, TERM, INT, HUP")
	}
	c.code = code
	return nil
}

func (h *hang) decode(node *yaml.Node) error {
	return scenario.Fields{"ignore_term": scenario.Bool(&h.ignoreTerm)}.Decode(node)
}
