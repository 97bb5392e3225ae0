package guard

import (
	"path"
	"slices"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/guard/shell"
)

// Write decides whether the subject may write a file. The caller asks again with the path that symbolic links lead to.
func (p Policy) Write(file string) Verdict { return p.decide(file, true) }

// Read decides whether the subject may read a file. The caller asks again with the path that symbolic links lead to.
func (p Policy) Read(file string) Verdict { return p.decide(file, false) }

// Search decides whether the subject may search below dir for files that match glob; both may be empty.
func (p Policy) Search(dir, glob string) Verdict {
	if v := p.decide(dir, false); v.Deny && v.Rule == Private {
		return v
	}
	if p.Subject == Worker || isOpenKind(glob) || glob == "" && isOpenKind(dir) {
		return Verdict{}
	}
	return Verdict{Deny: true, Rule: Explore, Reason: "this session does not search code, so that its own context stays small; start the agent the run asks for, or search for one kind of file: " + openKinds}
}

func (p Policy) decide(file string, write bool) Verdict {
	if !shell.Text(file).Known() || strings.ContainsAny(file, "\n\r") {
		return Verdict{Deny: true, Rule: Private, Reason: "the path contains control characters; name the file without them"}
	}
	rule, reason := p.fileRule(shell.Text(file), write)
	return Verdict{Deny: rule != "", Rule: rule, Reason: reason}
}

// file applies the rules for files within a command line.
func (j *judge) file(r *shell.Run, file shell.Text, write bool) {
	if isDevice(string(file)) {
		return
	}
	if rule, reason := j.fileRule(file, write); rule != "" {
		r.Refuse(rule, reason)
	}
}

// fileRule returns the rule a use of a file breaks, "" for none.
func (p Policy) fileRule(file shell.Text, write bool) (Rule, string) {
	at := p.resolved(file)
	switch {
	case p.hidden(at, write):
		return Private, quote(file) + " belongs to Stellwerk itself; ask with `stellwerk status` instead"
	case write && steersGit(at):
		return Configuration, quote(file) + " decides where git pushes to or what it runs; it is the person's to change: do without"
	case write && steersSession(at):
		return Private, quote(file) + " decides what is checked in this session; it is the person's to change: do without"
	case p.Subject == Orchestrator:
		return orchestratorFile(file, at, write)
	case write && p.outside(at):
		return Outside, quote(file) + " is not in one of your folders; write below " + strings.Join(p.Roots, " or ")
	}
	return "", ""
}

func orchestratorFile(file, at shell.Text, write bool) (Rule, string) {
	rule, verb := CodeRead, "reads"
	if write {
		rule, verb = CodeWrite, "writes"
	}
	switch {
	case write && hasElement(at, ".git"):
		return Configuration, quote(file) + " is git's own; use git's commands"
	case write && hasElement(at, ".stellwerk"):
		return Private, quote(file) + " decides how runs are driven; it is the person's to change"
	case hidesParents(string(file)):
		return rule, quote(file) + " has `..` after a folder, so which file it is cannot be told; name the file without it"
	case !isOpenKind(string(file)):
		return rule, "this session " + verb + " only " + openKinds + ", and " + quote(file) + " is none of these, or may not be; that is the work of the agents: start the one the run asks for"
	}
	return "", ""
}

func quote(file shell.Text) string { return "`" + file.String() + "`" }

// openKinds names the files the orchestrator may read and write.
const openKinds = ".md, .json, .yml, .yaml, .sh, .gitignore and .txt"

// isOpenKind decides by the extension, as it is written. A name whose end is unknown has none of these.
func isOpenKind(file string) bool {
	base := strings.ToLower(file[strings.LastIndexByte(file, '/')+1:])
	switch path.Ext(base) {
	case ".md", ".json", ".yml", ".yaml", ".sh", ".gitignore", ".txt":
		return !strings.HasSuffix(base, " ")
	}
	return false
}

// hidesParents reports `..` after a name: the folder before it may be a link to anywhere.
func hidesParents(file string) bool {
	named := false
	for element := range strings.SplitSeq(file, "/") {
		if element == ".." && named {
			return true
		}
		named = named || element != ".." && element != "." && element != ""
	}
	return false
}

// outside reports a path that is certainly in none of the worker's folders.
func (p Policy) outside(at shell.Text) bool {
	at = p.resolved(at)
	if len(p.Roots) == 0 || p.Subject != Worker || !at.Known() || !path.IsAbs(string(at)) || isDevice(string(at)) {
		return false
	}
	return !inAny(at, p.Roots)
}

// hidden reports a path in a hidden folder, except for a worker's own folders and, for reading, those that are shown.
func (p Policy) hidden(at shell.Text, write bool) bool {
	if !inAny(at, p.Hidden) {
		return false
	}
	own := p.Subject == Worker && inAny(at, p.Roots)
	return !own && (write || !inAny(at, p.Shown))
}

func inAny(at shell.Text, roots []string) bool {
	return slices.ContainsFunc(roots, func(root string) bool { return within(string(at), root) })
}

func within(file, root string) bool {
	root = path.Clean(root)
	return file == root || strings.HasPrefix(file, strings.TrimSuffix(root, "/")+"/")
}

func isDevice(file string) bool {
	return shell.Listed("/dev/null /dev/stdout /dev/stderr /dev/stdin /dev/tty /dev/zero /dev/random /dev/urandom -", file) ||
		strings.HasPrefix(file, "/dev/fd/") || strings.HasPrefix(file, "/proc/self/fd/")
}

func hasElement(file shell.Text, name string) bool {
	return slices.Contains(strings.Split(strings.ToLower(string(file)), "/"), name)
}

// steersGit reports files that make git push elsewhere or run something: configuration, hooks, and everything in a
// repository that is no checkout.
func steersGit(file shell.Text) bool {
	name := strings.ToLower(string(file))
	if !strings.Contains(name, ".g") && !strings.Contains(name, "git") && !strings.Contains(name, ".netrc") && !strings.Contains(name, ".ssh") && !strings.Contains(name, ".config/") {
		return false
	}
	elements := strings.Split(name, "/")
	for i, element := range elements {
		element = strings.TrimRight(element, ". ")
		rest := elements[i+1:]
		switch {
		case element == ".gitconfig" || element == ".netrc" || element == ".git-credentials" || element == "gitconfig" && i > 0 && elements[i-1] == "etc":
			return true
		case element == ".ssh" && len(rest) > 0 && rest[0] == "config":
			return true
		case element == ".config" && len(rest) > 1 && (rest[0] == "git" || rest[0] == "gh" || rest[0] == "hub" || rest[0] == "glab-cli"):
			return true
		case strings.HasSuffix(element, ".git") && element != ".git" && i < len(elements)-1:
			return true
		case matchesGit(element) && steersBelow(rest):
			return true
		}
	}
	return false
}

// matchesGit reports .git, or a pattern that may become it.
func matchesGit(element string) bool {
	if element == ".git" {
		return true
	}
	if t := shell.Text(element); !t.Known() && strings.HasPrefix(element, ".g") {
		ok, err := path.Match(t.Pattern(), ".git")
		return ok || err != nil
	}
	return false
}

// steersBelow judges a path below .git: the folder itself, configuration and hooks, of modules too.
func steersBelow(rest []string) bool {
	return len(rest) == 0 || len(rest) == 1 && rest[0] == "" || slices.ContainsFunc(rest, func(element string) bool {
		return shell.Listed("config config.worktree config.lock hooks commondir gitdir stellwerk-pushlock", strings.TrimRight(element, ". "))
	})
}

// steersSession reports the files that decide which hooks run in the session.
func steersSession(file shell.Text) bool {
	folder, base := path.Split(strings.ToLower(string(file)))
	return base == ".claude.json" || strings.HasPrefix(base, "settings") && path.Base(folder) == ".claude"
}
