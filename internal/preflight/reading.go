package preflight

import (
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/check"
	"github.com/stellwerk-dev/stellwerk/internal/regex"
)

// What programs write where another one is not there. Only what cannot be part of the work counts: a name without a slash
// is looked for on the PATH, and what `python -m` runs is the runner itself, not a module that the code imports.
var (
	shellMisses  = regex.Of(`(?m)^(?:\S*/)?(?:ba|da|z|a|k)?sh: (?:line )?\d+: ([^\s/:]+): (?:command )?not found`)
	plainMisses  = regex.Of(`(?m)(?:^|: )([^\s/:]+): command not found$`)
	envMisses    = regex.Of(`(?m)env: [‘'"]?([^\s/:’'"]+)[’'"]?: No such file or directory`)
	makeMisses   = regex.Of(`(?m)^make(?:\[\d+\])?: ([^\s/:]+): No such file or directory`)
	makeError    = regex.Of(`(?m)^make(?:\[\d+\])?: \*\*\* .*Error 127`)
	denied       = regex.Of(`(?m): ([^\s:]*/[^\s:]+): Permission denied$`)
	pythonMisses = regex.Of(`(?m)^\S*python[\d.]*(?:\.exe)?: No module named ([\w.]+)`)
)

// modePlain is git's mode of a file without its execute bit.
const modePlain = "100644"

// Exit codes of shells.
const (
	exitNotExecutable = 126
	exitNotFound      = 127
)

// read says what of a command's end would keep every attempt from passing it, whatever it does.
func (in Input) read(w wanted, out Outcome) *problem {
	if out.Passed() || out.TimedOut || w.optional && !out.Setup {
		return nil
	}
	who := fmt.Sprintf("the check `%s`", w.command)
	if out.Setup {
		who = fmt.Sprintf("the setup `%s`", in.Playbook.Setup)
	}
	if module := first(pythonMisses(), out.Output); module != "" && !in.brings(module) {
		return &problem{fmt.Sprintf("%s cannot pass: Python has no module %s inside the isolation", who, module), in.pythonAdvice(module)}
	}
	if name := missing(out); name != "" {
		return &problem{fmt.Sprintf("%s cannot pass: there is no program %s inside the isolation", who, name), in.advice(name)}
	}
	if out.Exit == exitNotExecutable {
		if found := in.unexecutable(who, first(denied(), out.Output)); found != nil {
			return found
		}
	}
	if strings.Contains(out.Output, "ensurepip is not available") {
		return &problem{who + " cannot pass: Python cannot create virtual environments here", "install the package it names (Debian: apt install python3-venv)"}
	}
	if out.Setup && len(out.Refused) > 0 {
		return &problem{who + " was refused connections to " + strings.Join(out.Refused, ", "),
			fmt.Sprintf("allow them, under `network: {setup: [%s]}` in the playbook or `network.allow` in your settings; %s", strings.Join(out.Refused, ", "), without)}
	}
	if out.Setup && check.Offline(out.Output) {
		return &problem{who + " failed for lack of network: " + lastLine(out.Output),
			"try again when the network works, or set HTTPS_PROXY in the environment that starts stellwerk; " + without}
	}
	return nil
}

// unexecutable is about a file without its execute bit: one outside the repository, or one that the base commit has. One
// that it does not have is still to be written.
func (in Input) unexecutable(who, file string) *problem {
	if path.IsAbs(file) {
		return &problem{fmt.Sprintf("%s cannot pass: %s is not executable", who, file), "chmod +x " + file}
	}
	for _, name := range slices.Sorted(maps.Keys(in.Files)) {
		if script := path.Clean(file); file != "" && in.Files[name] == modePlain && (name == script || strings.HasSuffix(name, "/"+script)) {
			return &problem{
				fmt.Sprintf("%s cannot pass: %s has no execute bit in the commit the run starts from", who, name),
				fmt.Sprintf("`chmod +x %[1]s && git update-index --chmod=+x %[1]s`, and commit that; if the run itself will do so, start with %[2]s", name, NoPreflight),
			}
		}
	}
	return nil
}

// missing is the program outside the repository that a command could not start.
func missing(out Outcome) string {
	if out.Exit != exitNotFound && !makeError().MatchString(out.Output) {
		return ""
	}
	for _, misses := range []*regexp.Regexp{shellMisses(), plainMisses(), envMisses(), makeMisses()} {
		if name := first(misses, out.Output); name != "" {
			return name
		}
	}
	return ""
}

func first(re *regexp.Regexp, text string) string {
	if m := re.FindStringSubmatch(text); m != nil {
		return strings.TrimSuffix(m[1], ".__main__")
	}
	return ""
}

// brings reports a module that the repository itself has.
func (in Input) brings(module string) bool {
	top, _, _ := strings.Cut(module, ".")
	for file := range in.Files {
		dir, name := path.Split(file)
		if name == top+".py" || name == "__init__.py" && path.Base(dir) == top {
			return true
		}
	}
	return false
}

const without = "if the run itself will add it, start with " + NoPreflight

// advice is how a program gets inside.
func (in Input) advice(name string) string {
	var ways []string
	if elsewhere, _ := in.Place.find(name); elsewhere != "" {
		ways = append(ways, in.Place.show(elsewhere))
	}
	if in.Detected != "" && in.Playbook.Setup == "" {
		ways = append(ways, "let the playbook install it: `setup: "+in.Detected+"`")
	} else if in.Files["package.json"] != "" && in.Playbook.Setup == "" {
		ways = append(ways, "let the playbook install it: `setup: npm ci`")
	}
	if _, err := in.Place.find("python3"); name == "python" && err == nil {
		ways = append(ways, "write python3 instead of python: it is installed", "install python for the whole system (Debian: apt install python-is-python3)")
	}
	if len(ways) == 0 {
		ways = append(ways, "install it for the whole system, or let a `setup:` of the playbook put it into the checkout")
	}
	return strings.Join(append(ways, without), "; or ")
}

// pythonAdvice is how a Python module gets inside. One in the person's home is not there.
func (in Input) pythonAdvice(module string) string {
	way := fmt.Sprintf("let the playbook install it: `setup: python3 -m venv .venv && .venv/bin/python -m pip install %s`, and check with `.venv/bin/python -m %s`", module, module)
	if in.Detected != "" && in.Playbook.Setup == "" {
		way = "let the playbook install it: `setup: " + in.Detected + "`"
	}
	return strings.Join([]string{way, "install it for the whole system", without}, "; or ")
}

func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.TrimSpace(lines[len(lines)-1])
}
