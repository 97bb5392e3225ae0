package shell

import (
	"slices"
	"strings"
)

// wrapping describes a program whose work is to start another.
type wrapping struct {
	programs    string // their names, separated by spaces
	short, long string // options that take a value
	skip        int    // operands before the program
	joins       bool   // the operands are joined and run as shell code
	bare        bool   // the environment is not passed on
	assigns     bool   // NAME=VALUE may stand before the program
}

// wrappings lists the programs that start the one named by their operands.
func wrappings() []wrapping {
	return []wrapping{
		{programs: "timeout gtimeout", short: "sk", long: "signal kill-after", skip: 1},
		{programs: "nice", short: "n", long: "adjustment"},
		{programs: "nohup setsid unbuffer chronic ts busybox toybox fakeroot eatmydata setarch linux64 catchsegv rlwrap"},
		{programs: "stdbuf", short: "ioe", long: "input output error"},
		{programs: "time gtime", short: "fo", long: "format output"},
		{programs: "ionice", short: "cnpPu", long: "class classdata pid"},
		{programs: "chrt taskset", short: "p", skip: 1},
		{programs: "prlimit cgexec", short: "gp"},
		{programs: "caffeinate", short: "tw"},
		{programs: "strace ltrace", short: "aeEIoOpPsSuUXb", long: "attach output trace"},
		{programs: "sudo doas", short: "ugpCrtTURDh", long: "user group prompt chdir host close-from", bare: true, assigns: true},
		{programs: "chroot", long: "userspec groups", skip: 1, bare: true},
		{programs: "watch viddy", short: "n", long: "interval", joins: true},
		{programs: "systemd-run", short: "pEuMHd", long: "property setenv unit description slice uid gid nice working-directory", bare: true},
		{programs: "unshare nsenter setpriv capsh dbus-run-session xvfb-run firejail proxychains proxychains4 torsocks", short: "tSGen"},
	}
}

// wrapper looks through programs that start others. It is not ok for any other name.
func (r *Run) wrapper(s *scope, name string, args []Text) (alternatives, bool) {
	if isShell(name) {
		return r.shell(s, args), true
	}
	known := wrappings()
	if i := slices.IndexFunc(known, func(w wrapping) bool { return Listed(w.programs, name) }); i >= 0 {
		return r.wrapped(s, name, known[i], args), true
	}
	switch name {
	case "env":
		return r.environment(s, args), true
	case "xargs":
		return r.xargs(s, args), true
	case "parallel":
		r.parallel(s, args)
	case "script":
		r.script(s, args)
	case "su", "runuser", "machinectl":
		r.su(s, args)
	case "flock":
		r.flock(s, args)
	case "at", "batch", "crontab":
		r.schedule(name, args)
	default:
		r.alongside(s, name, args)
		return nil, false
	}
	return unresolved(), true
}

// alongside looks at what is started by programs that also do something themselves, for which they are judged.
func (r *Run) alongside(s *scope, name string, args []Text) {
	switch name {
	case "find":
		r.find(s, args)
	case "ssh", "mosh", "autossh":
		r.ssh(s, args)
	default:
		if carries(name) {
			r.carried(s, args)
		}
	}
}

func (r *Run) wrapped(s *scope, name string, w wrapping, args []Text) alternatives {
	found := ScanFirst(args, w.short, w.long)
	operands := found.Operands
	inner := s.fork()
	inner.bare = s.bare || w.bare && !found.Has("E preserve-env")
	for w.assigns && len(operands) > 0 && strings.Contains(string(operands[0]), "=") {
		r.setFor(inner, operands[0])
		operands = operands[1:]
	}
	if r.vague(name, found, operands, w.skip) || len(operands) <= w.skip {
		return one("")
	}
	if w.joins {
		return r.code(inner, Join(operands[w.skip:]))
	}
	return r.start(inner, operands[w.skip:], programs)
}

// vague refuses a wrapper whose arguments before the program may be read in more than one way.
func (r *Run) vague(name string, found Options, operands []Text, skip int) bool {
	blurred := found.Blurred
	for _, t := range operands[:min(skip, len(operands))] {
		blurred = blurred || t.Splits()
	}
	if blurred {
		r.Refuse(Unresolved, "which program `"+name+"` starts depends on an unquoted variable; quote it, or write it out")
	}
	return r.refused
}

// setFor looks at NAME=VALUE before a program.
func (r *Run) setFor(s *scope, t Text) {
	name, value, _ := strings.Cut(string(t), "=")
	r.assign(s, name, scalar(one(Text(value))))
}

// environment looks through env.
func (r *Run) environment(s *scope, args []Text) alternatives {
	found := ScanFirst(args, "uCS", "unset chdir split-string")
	inner := s.fork()
	operands := found.Operands
	if len(operands) > 0 && operands[0] == "-" {
		operands, inner.bare = operands[1:], true
	}
	inner.bare = inner.bare || found.Has("i ignore-environment")
	for _, name := range found.Values("u unset") {
		r.judge.Assign(r, string(name), nil)
	}
	if dir, ok := found.Value("C chdir"); ok {
		inner.dir = s.place(dir)
	}
	if r.vague("env", found, operands, 0) {
		return unresolved()
	}
	if split, ok := found.Value("S split-string"); ok {
		return r.code(inner, split+" "+Join(operands))
	}
	for len(operands) > 0 && strings.Contains(string(operands[0]), "=") {
		r.setFor(inner, operands[0])
		operands = operands[1:]
	}
	return r.start(inner, operands, programs)
}

// su looks at su -c, whose code runs as someone else.
func (r *Run) su(s *scope, args []Text) {
	found := Scan(args, "cgGsw", "command group shell session-command")
	inner := s.fork()
	inner.bare = s.bare || found.Has("l login") || len(found.Operands) > 0 && found.Operands[0] == "-"
	if code, ok := found.Value("c command session-command"); ok {
		r.code(inner, code)
		return
	}
	r.fed(inner, "/dev/stdin")
}

// script looks at both forms of script: -c CODE, and FILE PROGRAM….
func (r *Run) script(s *scope, args []Text) {
	found := ScanFirst(args, "cEIOBTmoF", "command echo log-in log-out log-io log-timing logging-format output-limit")
	if code, ok := found.Value("c command"); ok {
		r.code(s.fork(), code)
		return
	}
	for i := range found.Operands {
		if code, ok := ScanFirst(found.Operands[i:], "c", "command").Value("c command"); ok {
			r.code(s.fork(), code)
			return
		}
	}
	if len(found.Operands) > 1 {
		r.start(s.fork(), found.Operands[1:], programs)
	}
}

// flock looks at flock FILE PROGRAM… and flock FILE -c CODE.
func (r *Run) flock(s *scope, args []Text) {
	found := ScanFirst(args, "wE", "timeout conflict-exit-code wait")
	operands := found.Operands
	if r.vague("flock", found, operands, 1) || len(operands) < 2 {
		return
	}
	if operands[1] == "-c" || operands[1] == "--command" {
		if len(operands) > 2 {
			r.code(s.fork(), operands[2])
		}
		return
	}
	r.start(s.fork(), operands[1:], programs)
}

// ssh looks at the command for the other machine, and at options that run code on this one.
func (r *Run) ssh(s *scope, args []Text) {
	found := ScanFirst(args, "BbcDEeFIiJLlmOopQRSWw", "")
	for _, o := range found.Values("o") {
		name, code, _ := strings.Cut(string(o), "=")
		if strings.EqualFold(name, "ProxyCommand") || strings.EqualFold(name, "LocalCommand") {
			r.code(s.fork(), Text(code))
		}
	}
	if len(found.Operands) > 1 {
		if code := Join(found.Operands[1:]); code.atoms() {
			r.code(s.inner("", []Text{}), code)
		}
		return
	}
	for _, t := range s.input.Texts {
		if t.Known() {
			r.code(s.inner("", []Text{}), t)
		}
	}
}

// schedule refuses commands that would run after the session.
func (r *Run) schedule(name string, args []Text) {
	if found := Scan(args, "fqtu", ""); found.Has("l r d") || len(args) == 1 && args[0] == "-V" {
		return
	}
	r.Refuse(Unresolved, "`"+name+"` runs commands later, where nobody checks them; run them now")
}
