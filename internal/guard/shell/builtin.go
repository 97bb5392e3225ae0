package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// builtin looks at the commands of the shell itself. It is not ok for any other name.
func (r *Run) builtin(s *scope, name string, args []Text) (out alternatives, ok bool) {
	switch name {
	case "eval":
		return r.code(s, Join(args)), true
	case ".", "source":
		r.source(s, args)
	case "trap":
		r.trap(args)
	case "alias":
		r.alias(args)
	case "command", "builtin", "exec", "noglob", "nocorrect", "-":
		return r.prefix(s, name, args)
	case "cd", "pushd", "popd":
		r.chdir(s, name, args)
	case "set":
		r.set(s, args)
	case "shift":
		s.arguments = s.arguments[min(1, len(s.arguments)):]
	case "unset":
		r.unset(s, args)
	case "read", "mapfile", "readarray", "getopts", "printf":
		return r.reading(s, name, args), true
	case "export", "declare", "typeset", "local", "readonly":
		r.exported(s, args)
	case "hash":
		if Scan(args, "p", "").Has("p") {
			r.Refuse(Unresolved, "`hash -p` gives a program another name, so later commands cannot be checked; call it by its own name")
		}
	default:
		return nil, false
	}
	return unresolved(), true
}

// printsEnvironment reports the usual eval "$(tool …)" of tools that print only settings for the shell.
func printsEnvironment(args []*syntax.Word) bool {
	if len(args) != 2 || args[0].Lit() != "eval" || len(args[1].Parts) != 1 {
		return false
	}
	part := args[1].Parts[0]
	if quoted, ok := part.(*syntax.DblQuoted); ok && len(quoted.Parts) == 1 {
		part = quoted.Parts[0]
	}
	substitution, ok := part.(*syntax.CmdSubst)
	if !ok || len(substitution.Stmts) != 1 || len(substitution.Stmts[0].Redirs) > 0 {
		return false
	}
	call, ok := substitution.Stmts[0].Cmd.(*syntax.CallExpr)
	if !ok || len(call.Args) < 2 || len(call.Assigns) > 0 {
		return false
	}
	return slices.Contains([]string{
		"ssh-agent -s", "direnv hook", "direnv export", "pyenv init", "rbenv init", "nodenv init", "brew shellenv", "opam env", "fnm env",
		"mise activate", "mise env", "conda shell.bash", "minikube docker-env", "dircolors -b", "luarocks path",
	}, call.Args[0].Lit()+" "+call.Args[1].Lit())
}

// Join puts words into one text, with spaces between them, as eval does.
func Join(args []Text) Text {
	parts := make([]string, len(args))
	for i, t := range args {
		parts[i] = string(t)
	}
	return Text(strings.Join(parts, " "))
}

// source looks at code read from a descriptor; the content of a file is not on the line.
func (r *Run) source(s *scope, args []Text) {
	switch {
	case len(args) == 0:
	case args[0].Splits():
		r.Refuse(Unresolved, "which file is sourced is only known once the command runs; name it, and quote the variable that holds it")
	case isDescriptor(args[0]):
		r.fed(s, args[0])
	default:
		r.asScript(s, args)
		s.load()
	}
}

// trap remembers code that runs later; it is looked at after everything else.
func (r *Run) trap(args []Text) {
	operands := Scan(args, "", "").Operands
	if len(operands) < 2 || operands[0] == "-" || operands[0] == "" {
		return
	}
	if !operands[0].Known() {
		r.Refuse(Unresolved, "the code of a trap is put together while the command runs; write it out")
		return
	}
	r.traps = append(r.traps, operands[0])
}

func (r *Run) alias(args []Text) {
	for _, t := range args {
		name, body, defines := strings.Cut(string(t), "=")
		switch {
		case t == "-g" || t == "-s":
			r.Refuse(Unresolved, "such an alias changes commands that do not show it; write the commands out")
		case !defines:
		case !t.Known():
			r.Refuse(Unresolved, "an alias is put together while the command runs; write its command out")
		default:
			r.aliases[name] = body
		}
	}
}

// prefix looks at the words that only say how the next one is to be found.
func (r *Run) prefix(s *scope, name string, args []Text) (alternatives, bool) {
	found := ScanFirst(args, "a", "")
	if name == "command" && found.Has("v V") {
		return r.printed(s, name, args), true
	}
	if name == "exec" && found.Has("c") {
		s.bare = true
	}
	if len(found.Operands) == 0 {
		return one(""), true
	}
	switch name {
	case "command", "builtin":
		return r.start(s, found.Operands, builtins), true
	case "exec":
		return r.start(s, found.Operands, programs), true
	}
	return r.start(s, found.Operands, everything), true
}

// chdir follows the working directory.
func (r *Run) chdir(s *scope, name string, args []Text) {
	operands := Scan(args, "", "").Operands
	switch {
	case name == "cd" && len(operands) == 1 && operands[0] != "-" && !operands[0].Splits():
		s.dir = s.place(operands[0])
	default:
		s.dir = something
	}
}

func (r *Run) set(s *scope, args []Text) {
	for i, t := range args {
		if t == "--" || t == "-" || !strings.HasPrefix(string(t), "-") && !strings.HasPrefix(string(t), "+") {
			if t == "--" || t == "-" {
				i++
			}
			s.arguments = append([]Text{}, args[i:]...)
			return
		}
		if t == "-o" || t == "+o" {
			return
		}
	}
}

func (r *Run) unset(s *scope, args []Text) {
	for _, t := range Scan(args, "", "").Operands {
		r.evaluated(t)
		name := string(t)
		if !t.Known() {
			name = "" // any variable may be meant
		}
		r.judge.Assign(r, name, nil)
		if t.Known() {
			s.variables.set(name, scalar(one("")))
		} else {
			s.forget()
		}
	}
}

// reading looks at the builtins that set variables to values that are not on the line.
func (r *Run) reading(s *scope, name string, args []Text) alternatives {
	var found Options
	switch name {
	case "printf":
		found = ScanFirst(args, "v", "")
		target, sets := found.Value("v")
		if !sets {
			return r.printed(s, name, args)
		}
		found.Operands = []Text{target}
	case "mapfile", "readarray":
		found = ScanFirst(args, "dnOsuCc", "")
		if code, ok := found.Value("C"); ok {
			r.code(s.fork(), code)
		}
		if len(found.Operands) == 0 {
			found.Operands = []Text{"MAPFILE"}
		}
	case "read":
		found = ScanFirst(args, "adinNptu", "")
		found.Operands = append(found.Values("a"), found.Operands...)
		if len(found.Operands) == 0 {
			found.Operands = []Text{"REPLY"}
		}
	case "getopts":
		found = ScanFirst(args, "", "")
	}
	for _, t := range found.Operands {
		r.receive(s, t)
	}
	return one("")
}

// receive marks a variable as unknown.
func (r *Run) receive(s *scope, name Text) {
	r.evaluated(name)
	if !name.Known() {
		s.forget()
		return
	}
	plainName, _, _ := strings.Cut(string(name), "[")
	if syntax.ValidName(plainName) {
		r.assign(s, plainName, variable{values: unresolved(), list: []Text{anything}})
	}
}

// exported looks at declarations whose words are only known after expansion.
func (r *Run) exported(s *scope, args []Text) {
	for _, t := range args {
		r.evaluated(t)
		name, value, ok := strings.Cut(string(t), "=")
		switch {
		case ok && syntax.ValidName(name):
			r.assign(s, name, scalar(one(Text(value))))
		case !t.Known():
			s.forget()
		}
	}
}

// declaration looks at declare, export and their kin.
func (r *Run) declaration(s *scope, decl *syntax.DeclClause) {
	takenBack := false
	for _, a := range decl.Args {
		switch {
		case a.Name == nil:
			for _, list := range r.words(s, a.Value) {
				takenBack = r.attributes(s, decl.Variant.Value, list) || takenBack
				r.exported(s, list)
			}
		case a.Naked && takenBack:
			r.judge.Assign(r, a.Name.Value, nil)
		default:
			r.assignment(s, a)
		}
	}
}

// attributes looks at the options of a declaration. It reports whether they take variables out of the environment.
func (r *Run) attributes(s *scope, variant string, list []Text) bool {
	for _, t := range list {
		switch {
		case strings.HasPrefix(string(t), "+") && strings.Contains(string(t), "x"):
			return true
		case !strings.HasPrefix(string(t), "-") || !strings.Contains(string(t), "n"):
		case variant == "export":
			return true
		default:
			s.blind = true // a name reference: setting one variable changes another
		}
	}
	return false
}
