package guard

import (
	"slices"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/guard/shell"
)

// git judges a call of git: the options before the verb first, then the verb.
func (j *judge) git(r *shell.Run, p shell.Program) {
	args := p.Args
	for len(args) > 0 && !r.Refused() {
		t := string(args[0])
		if args[0].Splits() {
			unclearVerb(r)
			return
		}
		if !strings.HasPrefix(t, "-") {
			j.gitVerb(r, p, args[0], args[1:])
			return
		}
		args = args[j.gitOption(r, &p, args):]
	}
}

func unclearVerb(r *shell.Run) {
	r.Refuse(shell.Unresolved, "which verb git is given is only known once the command runs; write it out, and quote variables before it (git -C \"$dir\" status)")
}

// gitOption judges one option before the verb. It returns how many words it used.
func (j *judge) gitOption(r *shell.Run, p *shell.Program, args []shell.Text) int {
	name, value, given := strings.Cut(string(args[0]), "=")
	used := 1
	switch name {
	case "-C", "-c", "--git-dir", "--work-tree", "--namespace", "--super-prefix", "--config-env", "--attr-source":
		if !given || name == "-c" || name == "-C" {
			if len(args) < 2 {
				return 1
			}
			value, used = string(args[1]), 2
		}
	case "-p", "--paginate", "-P", "--no-pager", "--bare", "--no-replace-objects", "--literal-pathspecs", "--glob-pathspecs", "--noglob-pathspecs",
		"--icase-pathspecs", "--no-optional-locks", "--no-lazy-fetch", "--no-advice", "-h", "--help", "-v", "--version", "--html-path", "--man-path",
		"--info-path", "--list-cmds", "--exec-path":
	default:
		r.Refuse(shell.Unresolved, "git's option `"+args[0].String()+"` is not known here, so the verb after it cannot be told; leave it out")
		return used
	}
	if shell.Text(value).Splits() {
		unclearVerb(r)
		return used
	}
	switch name {
	case "-c":
		key, setting, _ := strings.Cut(value, "=")
		j.setting(r, *p, shell.Text(key), shell.Text(setting))
	case "--config-env":
		r.Refuse(Configuration, "`git --config-env` takes settings from where they cannot be seen; pass them with -c")
	case "--exec-path":
		if given {
			r.Refuse(Configuration, "`git --exec-path=…` makes git run other programs in its name; leave it out")
		}
	case "-C", "--git-dir", "--work-tree":
		p.Dir = p.Place(shell.Text(value))
	case "-h", "--help":
		return len(args) // what follows is what help is wanted for
	}
	return used
}

// place refuses to let git write in a repository that is not the subject's: a fetch that runs inside the remote is a push.
func (j *judge) place(r *shell.Run, dir shell.Text) {
	if string(dir) == j.Dir {
		return
	}
	if isBareRepository(string(dir)) {
		r.Refuse(Push, "git would write in the repository `"+dir.String()+"`, which may be the remote itself; work in your own checkout")
		return
	}
	if j.outside(dir) {
		r.Refuse(Outside, "git would write in `"+dir.String()+"`, which is not one of your folders; work in your own checkout")
	}
}

// isBareRepository recognises a bare repository by its name.
func isBareRepository(dir string) bool {
	base := strings.TrimRight(dir, "/")
	base = base[strings.LastIndexByte(base, '/')+1:]
	return strings.HasSuffix(strings.ToLower(base), ".git") && !strings.EqualFold(base, ".git")
}

const pushInstead = "pushing is Stellwerk's own act after a person's approval"

// gitVerb judges a verb and its arguments.
func (j *judge) gitVerb(r *shell.Run, p shell.Program, verb shell.Text, args []shell.Text) {
	name := string(verb)
	if !verb.Known() {
		unclearVerb(r)
		return
	}
	if !isGitQuestion(name) {
		j.place(r, p.Dir)
	}
	switch {
	case len(args) == 1 && (args[0] == "-h" || args[0] == "--help"):
	case isPushVerb(name, args):
		r.Refuse(Push, "`git "+name+"` would write to a remote; "+pushInstead+j.instead(": commit your work and end your turn", ": it happens when the run's last gate is passed"))
	case name == "credential" || strings.HasPrefix(name, "credential-"):
		r.Refuse(Credential, "`git "+name+"` hands out credentials, which no session needs; leave fetching and pushing to git and Stellwerk")
	case name == "config":
		j.gitConfig(r, p, args)
	case name == "remote":
		j.gitRemote(r, args)
	case runsCode(name):
		j.gitCode(r, p, name, args)
	case isGitVerb(name):
		j.gitTransport(r, p, name, args)
	default:
		j.gitAlias(r, p, name, args)
		return
	}
	if j.Subject == Orchestrator {
		orchestrateGit(r, name, args)
	}
}

// isPushVerb reports the verbs by which git writes to another repository.
func isPushVerb(verb string, args []shell.Text) bool {
	if shell.Listed("push send-pack http-push receive-pack shell cvsexportcommit", verb) || strings.HasPrefix(verb, "remote-") {
		return true
	}
	pushing := map[string]string{"subtree": "push", "lfs": "push pre-push", "svn": "dcommit commit-diff set-tree branch tag", "p4": "submit"}[verb]
	first := slices.IndexFunc(args, func(t shell.Text) bool { return !strings.HasPrefix(string(t), "-") })
	if pushing == "" || first < 0 {
		return false
	}
	return !args[first].Known() || shell.Listed(pushing, string(args[first])) || verb == "subtree" && hasAny(args, "push")
}

// hasAny reports whether one of the arguments is among words that are separated by spaces.
func hasAny(args []shell.Text, words string) bool {
	return slices.ContainsFunc(args, func(t shell.Text) bool { return shell.Listed(words, string(t)) })
}

// gitRemote allows looking at remotes, but not changing their addresses.
func (j *judge) gitRemote(r *shell.Run, args []shell.Text) {
	operands := shell.Scan(args, "tm", "").Operands
	if len(operands) == 0 {
		return
	}
	switch operands[0] {
	case "show", "get-url", "update", "prune", "remove", "rm", "set-head", "rename", "set-branches":
	default:
		r.Refuse(Configuration, "`git remote "+operands[0].String()+"` changes where a push would go; the remotes are the person's to set: work with those that are there")
	}
}

// gitTransport judges verbs that read from other repositories.
func (j *judge) gitTransport(r *shell.Run, p shell.Program, verb string, args []shell.Text) {
	switch verb {
	case "clone", "fetch", "pull", "ls-remote", "fetch-pack", "archive", "submodule", "init":
	default:
		return
	}
	found := shell.Scan(args, "ucob", "upload-pack exec config template origin branch")
	for _, t := range found.Operands {
		if strings.HasPrefix(string(t), "ext::") || strings.HasPrefix(string(t), "fd::") {
			r.Refuse(Configuration, "an `ext::` address makes git run a command; name the repository by its address")
		}
	}
	if found.Has("upload-pack exec template") || verb == "clone" && found.Has("u") {
		r.Refuse(Configuration, "the options --upload-pack, --exec and --template make git run programs of one's own; leave them out")
	}
	if verb == "clone" {
		for _, t := range found.Values("c config") {
			key, value, _ := strings.Cut(string(t), "=")
			j.setting(r, p, shell.Text(key), shell.Text(value))
		}
	}
}

// maxAliases bounds how far aliases that name aliases are followed.
const maxAliases = 8

// gitAlias follows an alias that the policy lists, and refuses any other verb: git does not have it.
func (j *judge) gitAlias(r *shell.Run, p shell.Program, name string, args []shell.Text) {
	body, ok := j.Aliases[name]
	if j.aliased++; !ok || j.aliased > maxAliases {
		r.Refuse(shell.Unresolved, "`git "+name+"` is none of git's own verbs, so what it does cannot be seen; use the verb it stands for")
		return
	}
	defer func() { j.aliased-- }()
	if code, runs := strings.CutPrefix(body, "!"); runs {
		r.Code(p, shell.Text(code+` "$@"`), args)
		return
	}
	var words []shell.Text
	for _, w := range strings.Fields(body) {
		words = append(words, shell.Text(strings.Trim(w, `"'`)))
	}
	p.Args = slices.Concat(words, args)
	j.git(r, p)
}
