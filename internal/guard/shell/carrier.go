package shell

import "strings"

// xargs looks at a program that gets arguments which are not on the line.
func (r *Run) xargs(s *scope, args []Text) alternatives {
	found := ScanFirst(args, "adEIJLnPRSs", "arg-file delimiter max-lines max-args max-procs max-chars replace process-slot-var")
	if r.vague("xargs", found, nil, 0) || len(found.Operands) == 0 {
		return unresolved()
	}
	argv := append([]Text{}, found.Operands...)
	place, replaces := found.Value("I J i replace")
	if place == "" {
		place = "{}"
	}
	if !replaces {
		argv = append(argv, anything)
	}
	inner := s.fork()
	inner.input = Input{}
	for i, t := range argv {
		if replaces && place.Known() {
			argv[i] = Text(strings.ReplaceAll(string(t), string(place), atom))
		}
	}
	return r.start(inner, argv, programs)
}

// find looks at what find starts for each file.
func (r *Run) find(s *scope, args []Text) {
	for i := 0; i < len(args); i++ {
		switch args[i] {
		case "-exec", "-execdir", "-ok", "-okdir":
			end := i + 1
			for end < len(args) && args[end] != ";" && (args[end] != "+" || args[end-1] != "{}") {
				end++
			}
			argv := make([]Text, 0, end-i)
			for _, t := range args[i+1 : end] {
				argv = append(argv, Text(strings.ReplaceAll(string(t), "{}", atom)))
			}
			r.start(s.fork(), argv, programs)
			i = end
		}
	}
}

// parallel looks at GNU parallel: the words before ::: are shell code, those after it are put into it.
func (r *Run) parallel(s *scope, args []Text) {
	found := ScanFirst(args, "aCdEIjLlnNPsSv", "arg-file colsep delimiter jobs max-args max-procs timeout retries joblog delay tmpdir results env halt load memfree nice progress-interval replace-fields sshlogin sshloginfile workdir wd tagstring")
	var template, given []Text
	after := false
	for _, t := range found.Operands {
		switch {
		case strings.HasPrefix(string(t), ":::"):
			after = true
		case after:
			given = append(given, t)
		default:
			template = append(template, t)
		}
	}
	switch {
	case r.vague("parallel", found, template, len(template)):
	case len(template) == 0 && !after:
		r.fed(s.fork(), "/dev/stdin")
	case len(template) == 0:
		for _, t := range given {
			r.code(s.fork(), t)
		}
	default:
		inner := s.fork()
		inner.input = Input{}
		code := Join(template)
		filled := Text(strings.ReplaceAll(string(code), "{}", atom))
		if filled == code {
			filled += " " + atom
		}
		r.code(inner, filled)
	}
}

// carries reports programs that may start another one named somewhere among their arguments.
func carries(name string) bool {
	return Listed("docker podman nerdctl kubectl oc docker-compose vagrant wsl multipass distrobox toolbox flatpak-spawn "+
		"nix nix-shell direnv mise rtx asdf poetry pipenv uv uvx bundle npx npm pnpm yarn bunx bun "+
		"conda mamba dotenv doppler op aws-vault chamber envchain sops hyperfine entr watchexec "+
		"nodemon reflex concurrently tmux screen zellij valgrind perf gdb lldb rr numactl expect bwrap proot runcon "+
		"pkexec start-stop-daemon daemonize run-parts ssh-agent dtach abduco retry with lerna nx turbo foreman overmind", name)
}

// carried looks at the part of the arguments that is itself a command line: from the first word that names a
// program judged here, and each word that is code in itself.
func (r *Run) carried(s *scope, args []Text) {
	inner := s.fork()
	for i, t := range args {
		if r.refused {
			return
		}
		name, ok := commandName(t)
		if ok && (isShell(name) || carriedProgram(name)) {
			r.start(inner, args[i:], programs)
			return
		}
		if t.Known() && strings.ContainsAny(string(t), " ;&|") {
			r.suspect(s, t)
		}
	}
}

func carriedProgram(name string) bool {
	return strings.HasPrefix(name, "git-") || Listed("env sudo xargs git gh hub glab tea stellwerk", name)
}

// suspect looks at a word that may be code or prose. Only a refusal by the judge counts; prose cannot be resolved.
func (r *Run) suspect(s *scope, code Text) {
	other := *r
	other.code(s.inner("", []Text{}), code)
	r.steps = other.steps
	if other.refused && other.rule != Unresolved && other.rule != Unreadable && other.rule != Complex {
		r.Refuse(other.rule, other.reason)
	}
}
