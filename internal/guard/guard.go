// Package guard decides which commands and files a role may use inside a session: nobody pushes or writes on a forge, the
// orchestrator neither reads nor writes code, and a worker gives no command that belongs to a person. It decides from its
// arguments alone: it must not touch files, run programs or know the time. It reads the command line, so it cannot see what
// programs do inside; package pushlock is for that.
package guard

import (
	"path"
	"slices"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/guard/shell"
)

// Subject is the role that wants to do something.
type Subject int

// The subjects.
const (
	Orchestrator Subject = iota // the person's own session, which starts agents and writes no code
	Worker                      // an agent with an attempt
)

// Rule names the rule behind a refusal; stable, for logs and tests.
type Rule = shell.Rule

// The rules beside those of package shell.
const (
	Push          Rule = "push"          // writes to a remote
	ForgeWrite    Rule = "forge-write"   // opens, merges or changes something on a forge
	Configuration Rule = "configuration" // makes git push elsewhere, run a command or drop a safeguard
	Environment   Rule = "environment"   // takes the safeguards out of a program's environment
	Credential    Rule = "credential"    // shows or sets a credential
	PersonsWord   Rule = "persons-word"  // a verb of stellwerk that is not this subject's
	CodeRead      Rule = "code-read"     // the orchestrator reads code
	CodeWrite     Rule = "code-write"    // the orchestrator changes code
	Explore       Rule = "explore"       // the orchestrator looks around in the code
	Outside       Rule = "outside"       // a worker writes outside its folders
	Private       Rule = "private"       // Stellwerk's own files, or those that decide what is checked
)

// Policy is what a subject may do here.
type Policy struct {
	Subject Subject
	Dir     string            // working folder, absolute; relative paths start there
	Roots   []string          // folders a worker may write; if empty, writes are not checked
	Hidden  []string          // folders nobody may read or write: the state folder, the push lock
	Shown   []string          // folders within those that may be read nevertheless: an attempt's prompt and inputs
	Verbs   []string          // verbs of stellwerk the subject may use
	Aliases map[string]string // git's aliases as configured, name to value
}

// Verdict is the decision. Reason says what is refused, why, and what to do instead.
type Verdict struct {
	Deny   bool
	Rule   Rule
	Reason string
}

// Command decides on a command line for bash.
func (p Policy) Command(line string) Verdict {
	rule, reason, ok := shell.Look(line, shell.Text(p.Dir), &judge{Policy: p})
	if ok {
		return Verdict{}
	}
	return Verdict{Deny: true, Rule: rule, Reason: reason}
}

// judge implements shell.Judge.
type judge struct {
	Policy
	aliased int // how many aliases of git have been followed
}

// Program implements shell.Judge.
func (j *judge) Program(r *shell.Run, p shell.Program) {
	switch name := p.Name; {
	case name == "git":
		j.git(r, p)
	case strings.HasPrefix(name, "git-"):
		p.Args = append([]shell.Text{shell.Text(strings.TrimPrefix(name, "git-"))}, p.Args...)
		j.git(r, p)
	case isForgeClient(name):
		j.forge(r, p)
	case isHTTPClient(name):
		j.http(r, p)
	case name == "stellwerk":
		j.stellwerk(r, p)
	case name == "go":
		j.goRun(r, p)
	case isInterpreter(name):
		j.interpreter(r, p)
	}
	bare(r, p)
	j.files(r, p)
	if j.Subject == Orchestrator {
		orchestrate(r, p)
	}
}

// Open implements shell.Judge.
func (j *judge) Open(r *shell.Run, file shell.Text, write bool) {
	if host, ok := strings.CutPrefix(string(file), "/dev/tcp/"); ok {
		if name, _, _ := strings.Cut(host, "/"); name != "localhost" && name != "127.0.0.1" && name != "::1" {
			r.Refuse(ForgeWrite, "the shell would talk to another machine by itself, which cannot be checked; use a program for it")
		}
		return
	}
	j.file(r, file, write)
}

// stellwerk allows the verbs that the policy lists.
func (j *judge) stellwerk(r *shell.Run, p shell.Program) {
	found := shell.ScanFirst(p.Args, "", "state")
	if len(found.Operands) == 0 {
		return // prints its help
	}
	verb := found.Operands[0]
	if !found.Only("state json verbose v help h version") {
		verb = shell.Unknown() // it may be the value of an option that is not known here
	}
	if slices.Contains(j.Verbs, string(verb)) && !found.Blurred {
		return
	}
	r.Refuse(PersonsWord, "`stellwerk "+verb.String()+"` is not for this session to run"+j.instead("; it belongs to the person or to the engine: finish your task and say in your answer what is needed",
		"; it belongs to the person or to the engine: allowed here are "+strings.Join(j.Verbs, ", ")))
}

// goRun recognises stellwerk if it is built and run from source.
func (j *judge) goRun(r *shell.Run, p shell.Program) {
	operands := shell.ScanFirst(p.Args, "C", "").Operands
	if len(operands) < 2 || operands[0] != "run" {
		return
	}
	operands = shell.ScanFirst(operands[1:], "p", "tags exec ldflags gcflags mod modfile overlay").Operands
	if len(operands) == 0 {
		return
	}
	if name, ok := operands[0].Base(); ok && name == "stellwerk" {
		p.Args = operands[1:]
		j.stellwerk(r, p)
	}
}

// instead chooses the advice for a worker or for the orchestrator.
func (j *judge) instead(worker, orchestrator string) string {
	if j.Subject == Worker {
		return worker
	}
	return orchestrator
}

// bare refuses programs that run with an emptied environment and may start others: they would run without the safeguards
// that are in the environment.
func bare(r *shell.Run, p shell.Program) {
	if p.Bare && !isInert(p.Name) {
		r.Refuse(Environment, "`"+p.Name+"` would run with an emptied environment, without the safeguards against pushing; run it as yourself, with the environment as it is")
	}
}

// isInert knows programs that start nothing that could push.
func isInert(name string) bool {
	return shell.Listed("git gh glab hub tea stellwerk curl wget env printenv echo printf true false test [ : id whoami "+
		"ls cat head tail grep sed awk sort wc stat file find du df ps kill pgrep ss lsof date uname hostname pwd which sleep "+
		"cp mv rm mkdir rmdir touch ln chmod chown chgrp tee dd mount umount install tar unzip gzip "+
		"apt apt-get apt-cache dpkg apk yum dnf pacman zypper snap systemctl service journalctl sysctl ip usermod useradd groupadd", name)
}

// resolved makes a path absolute, if the policy names the working folder, and cleans it.
func (p Policy) resolved(file shell.Text) shell.Text {
	name := string(file)
	if !file.Known() {
		return file
	}
	if !path.IsAbs(name) && p.Dir != "" {
		name = path.Join(p.Dir, name)
	}
	return shell.Text(path.Clean(name))
}
