package hook

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/guard"
	"github.com/stellwerk-dev/stellwerk/internal/plain"
	"github.com/stellwerk-dev/stellwerk/internal/snapshot"
)

// worker decides for an agent that works on an attempt: its commands run as that
// attempt, isolated; its files are those of its workspace.
type worker struct {
	snapshot.Agent
	in Input
}

func (w worker) decide() Answer {
	kind := kindOf(w.in.Tool)
	if answer, no := refused(w.listed(kind)); no {
		return answer
	}
	switch kind {
	case harmless:
		return Silent()
	case runs:
		return w.run()
	case reads:
		return w.file(false)
	case writes:
		return w.file(true)
	case searches:
		return w.search()
	case starts:
		return denied("an agent starts no other agents; do the work yourself")
	case asks:
		return denied("nobody answers an agent's questions here; decide, and say in your report what you assumed")
	case unknown:
	}
	return denied("%s is not for agents of a run; use Bash, Read, Edit and Write in your workspace", w.in.Tool)
}

// listed checks a tool against the role's list; tools that no agent has are refused
// later.
func (w worker) listed(kind kind) guard.Verdict {
	switch kind {
	case runs:
		return guard.ToolList(w.Tools).Command(w.in.Tool, w.in.text("command"))
	case harmless, reads, writes, searches:
		return guard.ToolList(w.Tools).Tool(w.in.Tool, false)
	case unknown, starts, asks:
	}
	return guard.Verdict{}
}

// run hands the line to the program that runs it as the attempt. The client does not
// ask the person: the command is isolated.
func (w worker) run() Answer {
	line := w.in.text("command")
	if answer, no := refused(w.policy().Command(line)); no {
		return answer
	}
	if len(w.Shell) == 0 {
		return denied("this agent's commands cannot be isolated; end now and say so")
	}
	// A command in the background could change what a path leads to between the
	// look at it and its use.
	delete(w.in.ToolInput, "run_in_background")
	return rewriteCommand(w.in, append(slices.Clone(w.Shell), line), allowed)
}

// rewriteCommand replaces the command that the model wrote.
func rewriteCommand(in Input, words []string, answer func(map[string]raw) Answer) Answer {
	command, err := json.Marshal(quoted(words))
	if err != nil {
		return denied("the command cannot be passed on: %v", err)
	}
	updated := maps.Clone(in.ToolInput)
	delete(updated, "dangerouslyDisableSandbox")
	updated["command"] = command
	return answer(updated)
}

func (w worker) file(write bool) Answer {
	path := w.in.file()
	if write {
		if answer, no := refused(w.policy().Write(path)); no {
			return answer
		}
	}
	if err := w.reach(path, write); err != nil {
		return denied("%v", err)
	}
	return allowed(nil)
}

func (w worker) reach(path string, write bool) error {
	at, err := resolve(path, w.in.Dir)
	if err != nil {
		return err
	}
	roots := append([]string{w.Dir}, w.Writable...)
	if !write {
		roots = append(roots, w.Readable...)
	}
	return within(at, roots, write)
}

// search looks below one folder; a pattern must not lead out of it.
func (w worker) search() Answer {
	for _, field := range []string{"pattern", "glob"} {
		pattern := w.in.text(field)
		if w.in.Tool == "Grep" && field == "pattern" {
			continue // of text, not of files
		}
		if strings.HasPrefix(pattern, "/") || strings.HasPrefix(pattern, "~") || strings.Contains(pattern, "..") {
			return denied("the pattern %q leads out of the workspace", pattern)
		}
	}
	path := w.in.file()
	if path == "" {
		path = w.in.Dir
	}
	if err := w.reach(path, false); err != nil {
		return denied("%v", err)
	}
	return allowed(nil)
}

// quoted is a command line that a POSIX shell reads as exactly these words.
func quoted(words []string) string {
	all := make([]string, len(words))
	for i, word := range words {
		all[i] = plain.ShellQuote(word)
	}
	return strings.Join(all, " ")
}
