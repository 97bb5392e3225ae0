package guard

import (
	"slices"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/guard/shell"
)

// orchestrate applies the rules for the orchestrator alone. They are a discipline, not a wall: they keep code out of a
// context that must stay small, so programs that build and test are allowed.
func orchestrate(r *shell.Run, p shell.Program) {
	switch p.Name {
	case "find", "fd", "fdfind", "tree", "locate", "ctags", "tokei", "cloc":
		if !searchesOpenKinds(p) {
			refuseExploring(r, p.Name)
		}
	case "ls", "eza", "exa", "dir":
		if shell.Scan(p.Args, "IwT", "ignore").Has("R recursive T tree") {
			refuseExploring(r, p.Name+" -R")
		}
	case "grep", "egrep", "fgrep", "rg", "ag", "ack", "zgrep":
		searching(r, p)
	case "patch", "unzip", "ed", "ex":
		r.Refuse(CodeWrite, "`"+p.Name+"` would change files that this session does not write; that is the work of the agents: start the one the run asks for")
	case "gh", "glab":
		if hasAny(p.Args, "diff") {
			refuseShowing(r, p.Name+" diff")
		}
	case "tar", "bsdtar":
		if hasAny(p.Args, "-x --extract -xf -xzf xf xzf -xvf xvf -xjf -xJf") {
			r.Refuse(CodeWrite, "`tar` would unpack files that this session does not write; that is the work of the agents")
		}
	}
	if isInterpreter(p.Name) {
		for _, code := range inlineCode(p) {
			if usesFiles(p.Name, string(code)) {
				r.Refuse(CodeRead, "the code given to `"+p.Name+"` may read or write files, and this session handles only "+openKinds+"; use jq for JSON, and leave code to the agents")
			}
		}
	}
}

func refuseExploring(r *shell.Run, name string) {
	r.Refuse(Explore, "`"+name+"` looks around in the code, which this session leaves to the agents so that its own context stays small; start the one the run asks for")
}

// searchesOpenKinds reports a search by name for files the orchestrator may read.
func searchesOpenKinds(p shell.Program) bool {
	named := false
	for i, t := range p.Args[:max(0, len(p.Args)-1)] {
		pattern := string(p.Args[i+1])
		switch t {
		case "-name", "-iname":
		case "-e", "--extension":
			pattern = "." + pattern
		default:
			continue
		}
		if !isOpenKind(pattern) {
			return false
		}
		named = true
	}
	return named
}

// searching allows searches in named files, or in the kinds of files that the orchestrator may read.
func searching(r *shell.Run, p shell.Program) {
	spec, _ := readerOf(p.Name)
	found := shell.Scan(p.Args, spec.short, spec.long)
	recursive := found.Has("r R recursive") || p.Name == "rg" || p.Name == "ag" || p.Name == "ack"
	if !recursive {
		return
	}
	kinds := found.Values("include g glob iglob")
	for _, t := range kinds {
		if !isOpenKind(string(t)) && !strings.HasPrefix(string(t), "!") {
			refuseExploring(r, p.Name)
			return
		}
	}
	files := spec.uses(p.Args)
	piped := len(files) == 0 && p.Input.Kind != shell.InputInherited
	if len(kinds) == 0 && len(files) == 0 && !piped {
		refuseExploring(r, p.Name)
	}
}

// usesFiles reports inline code that opens files or starts programs. A one-liner that only filters its input does not.
func usesFiles(name, code string) bool {
	if strings.HasSuffix(name, "awk") {
		return strings.Contains(code, "getline <") || strings.Contains(code, "system(") || strings.Contains(code, "ARGV")
	}
	return strings.HasPrefix(name, "perl") || slices.ContainsFunc([]string{ // perl's -n and -p read the files that follow
		"open", "read_", "readfile", "write_", "writefile", "Path(", "os.", "subprocess", "system", "exec", "glob", "shutil", "require(", "import(", "File.", "IO.", "Dir.",
		"`", "fs.", "fopen", "file_get", "file_put", "fileinput", "<>", "popen", "linecache", "runpy", "importlib", "__import__", "Bun.", "Deno.",
	}, func(word string) bool { return strings.Contains(code, word) })
}

// orchestrateGit lets the orchestrator ask git about a repository, but not show the content of its files.
func orchestrateGit(r *shell.Run, verb string, args []shell.Text) {
	switch verb {
	case "blame", "annotate", "grep", "cat-file", "archive", "format-patch", "range-diff", "difftool", "diff-tree", "diff-index", "diff-files", "fast-export", "unpack-file", "merge-file":
		refuseShowing(r, "git "+verb)
	case "diff", "show", "whatchanged":
		if !summarises(args) && !onlyOpenKinds(args) {
			refuseShowing(r, "git "+verb)
		}
	case "log", "reflog":
		if showsPatch(args) && !summarises(args) {
			refuseShowing(r, "git "+verb+" -p")
		}
	case "stash":
		switch {
		case hasAny(args, "show") && showsPatch(args):
			refuseShowing(r, "git stash show -p")
		case hasAny(args, "pop apply branch"):
			refuseChanging(r, "git stash pop")
		}
	case "ls-files", "ls-tree":
		refuseExploring(r, "git "+verb)
	case "apply", "am", "cherry-pick", "revert", "restore", "rm", "mv", "clean", "merge", "rebase", "read-tree", "checkout-index", "filter-branch", "filter-repo", "mergetool", "fast-import":
		if !hasAny(args, "--abort --quit -n --dry-run --check") {
			refuseChanging(r, "git "+verb)
		}
	case "reset":
		if hasAny(args, "--hard --merge --keep") {
			refuseChanging(r, "git "+verb+" --hard")
		}
	case "checkout":
		operands := shell.Scan(args, "bB", "orphan conflict").Operands
		if hasAny(args, "-- -p --patch --ours --theirs") || len(operands) > 1 && !hasAny(args, "-b -B -t --track --orphan") || hasAny(args, ".") {
			refuseChanging(r, "git "+verb)
		}
	}
}

func refuseShowing(r *shell.Run, command string) {
	r.Refuse(CodeRead, "`"+command+"` shows code, which this session leaves to the agents so that its own context stays small; ask for a summary: --stat or --name-only")
}

func refuseChanging(r *shell.Run, command string) {
	r.Refuse(CodeWrite, "`"+command+"` changes code, which in a run only the agents and the engine do; start the agent the run asks for, or give feedback")
}

func summarises(args []shell.Text) bool {
	summary := false
	for _, t := range args {
		name, _, _ := strings.Cut(string(t), "=")
		if shell.Listed("-p -u --patch --patch-with-stat --patch-with-raw --full-index --binary", name) {
			return false
		}
		summary = summary || shell.Listed("--stat --shortstat --numstat --name-only --name-status --summary --dirstat --quiet -s --no-patch --exit-code --compact-summary --check", name)
	}
	return summary
}

// onlyOpenKinds reports that what is shown is limited, after -- or as REVISION:FILE, to files the orchestrator may read.
func onlyOpenKinds(args []shell.Text) bool {
	var files []shell.Text
	for i, t := range args {
		if t == "--" {
			files = append(files, args[i+1:]...)
			break
		}
		if strings.Contains(string(t), ":") && !strings.HasPrefix(string(t), "-") {
			files = append(files, t)
		}
	}
	return len(files) > 0 && !slices.ContainsFunc(files, func(file shell.Text) bool { return !isOpenKind(string(file)) })
}

func showsPatch(args []shell.Text) bool {
	return slices.ContainsFunc(args, func(t shell.Text) bool {
		name, _, _ := strings.Cut(string(t), "=")
		return shell.Listed("-p -u --patch -c --cc -m --patch-with-stat --patch-with-raw --full-diff --remerge-diff --ext-diff -W --function-context --word-diff --color-words", name) ||
			strings.HasPrefix(name, "-L") || strings.HasPrefix(name, "-U") || strings.HasPrefix(name, "--unified")
	})
}
