package guard

import (
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/guard/shell"
)

// fileUse is one file that a program is told to read or write.
type fileUse struct {
	path  shell.Text
	write bool
}

// files judges the files among a program's arguments. Workers may read any file.
func (j *judge) files(r *shell.Run, p shell.Program) {
	for _, file := range changedOnly(p) {
		if steersGit(j.resolved(p.Place(file))) {
			r.Refuse(Configuration, "`"+file.String()+"` decides where git pushes to or what it runs; it is the person's to change: do without")
		}
	}
	for _, use := range fileUses(p, j.Subject == Worker) {
		if use.write || j.Subject == Orchestrator {
			j.file(r, p.Place(use.path), use.write)
		}
		if use.write && isNameOfGit(p, use.path) {
			r.Refuse(Configuration, "another name for git or a forge's client would hide what later commands do; call it by its own name")
		}
	}
}

// changedOnly returns files whose mode or owner changes, or that a search deletes; their content does not matter.
func changedOnly(p shell.Program) []shell.Text {
	switch p.Name {
	case "chmod", "chown", "chgrp":
		return shell.Scan(p.Args, "", "reference").Operands
	case "find":
		if hasAny(p.Args, "-delete -exec -execdir") {
			return shell.ScanFirst(p.Args, "D", "").Operands[:leading(p.Args)]
		}
	}
	return nil
}

// leading counts the folders a search starts from.
func leading(args []shell.Text) int {
	operands := shell.ScanFirst(args, "D", "").Operands
	for i, t := range operands {
		if strings.HasPrefix(string(t), "-") || t == "!" || t == "(" {
			return i
		}
	}
	return len(operands)
}

// isNameOfGit reports a copy of git, a forge's client or Stellwerk under another name.
func isNameOfGit(p shell.Program, target shell.Text) bool {
	switch p.Name {
	case "cp", "ln", "mv", "install":
	default:
		return false
	}
	for _, t := range p.Args {
		name, ok := t.Base()
		if t == target || !ok || t.Known() && !strings.Contains(string(t), "/bin/") && !strings.Contains(string(t), "git-core") {
			continue
		}
		if name == "git" || name == "stellwerk" || strings.HasPrefix(name, "git-") || isForgeClient(name) {
			return true
		}
	}
	return false
}

// fileUses finds the files among the arguments of common programs. With writesOnly it may leave out those that are read.
func fileUses(p shell.Program, writesOnly bool) []fileUse {
	if spec, ok := readerOf(p.Name); ok {
		if writesOnly && spec.inPlace == "" && spec.output == "" {
			return nil
		}
		return spec.uses(p.Args)
	}
	switch p.Name {
	case "tee", "touch", "truncate", "rm", "unlink", "shred", "sponge", "mkfifo", "mktemp", "rmdir":
		return all(shell.Scan(p.Args, "srodtp", "size reference date suffix tmpdir").Operands, true)
	case "cp", "mv", "ln", "install", "rsync", "scp", "ditto":
		return copied(p)
	case "dd":
		return duplicated(p.Args)
	case "patch":
		found := shell.Scan(p.Args, "pidorFDgVYzB", "strip input directory output reject-file")
		return append(all(found.Values("i input"), false), all(append(found.Operands, found.Values("o output")...), true)...)
	case "ed", "ex", "vi", "vim", "nvim", "nano", "emacs", "micro", "code", "sd":
		return all(shell.Scan(p.Args, "cSsTu", "cmd").Operands, true)
	case "perl", "ruby":
		if found := shell.ScanFirst(p.Args, "eEIMmrF", ""); found.Has("i") {
			return all(found.Operands, true)
		}
	case "split", "csplit":
		operands := shell.Scan(p.Args, "abClnt", "").Operands
		return all(operands[:min(1, len(operands))], false)
	case "curl", "curlie":
		return all(shell.Scan(p.Args, curlShort, curlLong).Values("o output dump-header D"), true)
	case "wget":
		return all(shell.Scan(p.Args, "OoaiP", "output-document output-file").Values("O output-document"), true)
	}
	return nil
}

func all(paths []shell.Text, write bool) []fileUse {
	uses := make([]fileUse, len(paths))
	for i, t := range paths {
		uses[i] = fileUse{path: t, write: write}
	}
	return uses
}

// copied returns the sources, which are read, and the target, which is written and may be a folder.
func copied(p shell.Program) []fileUse {
	found := shell.Scan(p.Args, "tSmgoeB", "target-directory suffix mode owner group rsh exclude include filter chmod")
	operands := found.Operands
	target, given := found.Value("t target-directory")
	if !given {
		if len(operands) < 2 {
			return nil
		}
		target, operands = operands[len(operands)-1], operands[:len(operands)-1]
	}
	uses := make([]fileUse, 0, 2*len(operands))
	for _, source := range operands {
		uses = append(uses, fileUse{path: source, write: p.Name == "mv"}, fileUse{path: into(target, source), write: true})
	}
	return uses
}

// into is the file that a copy creates: inside a folder it keeps its name.
func into(target, source shell.Text) shell.Text {
	base, _ := target.Base()
	name, ok := source.Base()
	if !ok {
		name = string(shell.Unknown())
	}
	if base == "" || base == "." || base == ".." || !strings.Contains(base, ".") && target.Known() && base != "Makefile" && base != "Dockerfile" && base != "config" {
		return shell.Text(strings.TrimRight(string(target), "/")) + "/" + shell.Text(name)
	}
	return target
}

func duplicated(args []shell.Text) []fileUse {
	var uses []fileUse
	for _, t := range args {
		if file, ok := strings.CutPrefix(string(t), "if="); ok {
			uses = append(uses, fileUse{path: shell.Text(file)})
		}
		if file, ok := strings.CutPrefix(string(t), "of="); ok {
			uses = append(uses, fileUse{path: shell.Text(file), write: true})
		}
	}
	return uses
}
