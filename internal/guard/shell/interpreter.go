package shell

import (
	"slices"
	"strconv"
	"strings"
)

// isShell reports whether a program runs shell code.
func isShell(name string) bool {
	return Listed("sh bash dash zsh ksh ksh93 mksh ash rbash yash fish", name)
}

// shellOptions are the options of a shell that decide where its code comes from.
type shellOptions struct {
	command bool // -c: the first operand
	input   bool // -s: standard input
}

func readShellOptions(args []Text) (found shellOptions, operands []Text) {
	for len(args) > 0 {
		t := string(args[0])
		if args[0].Splits() || t == "" || t == "+" || t[0] != '-' && t[0] != '+' {
			break
		}
		args = args[1:]
		takes := 0
		switch {
		case t == "--", t == "-":
			return found, args
		case t == "--rcfile", t == "--init-file", t == "--init-command":
			takes = 1
		case t == "--command":
			found.command = true
		case strings.HasPrefix(t, "--command="):
			return shellOptions{command: true}, append([]Text{Text(t[len("--command="):])}, args...)
		case strings.HasPrefix(t, "--"):
		default:
			found.command = found.command || t[0] == '-' && strings.Contains(t, "c")
			found.input = found.input || t[0] == '-' && strings.Contains(t, "s")
			takes = strings.Count(strings.ToLower(t), "o")
		}
		args = args[min(takes, len(args)):]
	}
	return found, args
}

// shell looks at the code a shell is given: by -c or from a descriptor. The content of a script is not on the line.
func (r *Run) shell(s *scope, args []Text) alternatives {
	found, args := readShellOptions(args)
	inner := s.inner(s.source, []Text{})
	switch {
	case found.command && len(args) == 0:
		return one("")
	case found.command:
		inner.arguments = append(inner.arguments, args[min(2, len(args)):]...)
		return r.code(inner, args[0])
	case found.input || len(args) == 0:
		inner.arguments = append(inner.arguments, args...)
		return r.fed(inner, "/dev/stdin")
	case args[0].Splits() || args[0] == something && len(args) > 1:
		r.Refuse(Unresolved, "what the shell is to run is only known once the command runs; name the script, and quote the variable that holds it")
	case isDescriptor(args[0]):
		inner.arguments = append(inner.arguments, args[1:]...)
		return r.fed(inner, args[0])
	default:
		r.asScript(inner, args)
	}
	return unresolved()
}

// asScript looks at a script that has the name of a program judged here: the program may be a script, and would run.
func (r *Run) asScript(s *scope, args []Text) {
	if name, ok := commandName(args[0]); ok && carriedProgram(name) {
		r.start(s.fork(), args, programs)
	}
}

// isDescriptor reports whether a path names something that is already open.
func isDescriptor(path Text) bool {
	p := string(path)
	return p == "-" || p == "/dev/stdin" || strings.HasPrefix(p, "/dev/fd/") || strings.HasPrefix(p, "/proc/self/fd/")
}

// fed looks at code that comes from a descriptor.
func (r *Run) fed(s *scope, path Text) alternatives {
	input := s.input
	switch path {
	case "-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0":
	default:
		input = r.processInput(path)
	}
	var out alternatives
	switch input.Kind {
	case InputText:
		before := s.input
		s.input = Input{}
		for _, t := range input.Texts {
			out = out.with(r.code(s, t))
		}
		s.input = before
		return out
	case InputComputed:
		r.Refuse(Unresolved, "a shell runs whatever another program prints, which cannot be seen here; write the output to a file, look at it, then run it")
	case InputInherited, InputFile:
	}
	return unresolved()
}

// processPath prefixes the paths that stand for process substitutions.
const processPath = "/dev/fd/:"

// keepProcess remembers what a process substitution prints and returns the path that stands for it.
func (r *Run) keepProcess(out alternatives) Text {
	r.processes = append(r.processes, out)
	return Text(processPath + strconv.Itoa(len(r.processes)-1))
}

// processInput is what can be read from a path of keepProcess, or from a descriptor the line does not explain.
func (r *Run) processInput(path Text) Input {
	number, ok := strings.CutPrefix(string(path), processPath)
	if !ok {
		return Input{Kind: InputComputed}
	}
	n, err := strconv.Atoi(number)
	if err != nil || n >= len(r.processes) || n < 0 {
		return Input{Kind: InputComputed}
	}
	return printedInput(r.processes[n])
}

// printedInput is what a program prints, as the input of another.
func printedInput(out alternatives) Input {
	if slices.ContainsFunc(out, func(t Text) bool { return !t.Known() }) {
		return Input{Kind: InputComputed}
	}
	return Input{Kind: InputText, Texts: out}
}
