package guard

import (
	"path"
	"slices"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/guard/shell"
)

// isInterpreter reports the programs that take code of other languages on their command line.
func isInterpreter(name string) bool {
	return strings.HasPrefix(name, "python") || shell.Listed("node nodejs deno bun perl ruby php lua expect tclsh osascript awk gawk mawk nawk "+
		"rscript julia pwsh elixir groovy guile irb pypy pypy3 ipython tsx ts-node", name)
}

// interpreter judges code of other languages. It refuses only code that plainly starts a push; the push lock stops the rest.
func (j *judge) interpreter(r *shell.Run, p shell.Program) {
	for _, code := range inlineCode(p) {
		if rule, found := startsPush(string(code)); found {
			r.Refuse(rule, "the code given to `"+p.Name+"` starts a push or writes on the forge; "+pushInstead+": leave it out")
			return
		}
	}
}

// inlineCode returns the pieces of code on the line: option values, awk's program, and text on standard input.
func inlineCode(p shell.Program) []shell.Text {
	found := shell.ScanFirst(p.Args, "ceErpM", "eval execute print command")
	code := found.Values("c e E r p eval execute print command")
	if strings.HasSuffix(p.Name, "awk") || p.Name == "deno" || p.Name == "elixir" {
		code = append(code, found.Operands...)
	}
	if p.Input.Kind == shell.InputText && (len(found.Operands) == 0 || found.Operands[0] == "-") {
		code = append(code, p.Input.Texts...)
	}
	return code
}

// startsPush looks for words that start a program, and for a push or a forge's command after them.
func startsPush(code string) (Rule, bool) {
	lower := strings.ToLower(code)
	starts := []string{"system", "exec", "popen", "subprocess", "spawn", "run(", "call(", "check_output", "shell", "`", "qx", "%x", "getline", "$(", "bun.$", "| \""}
	if !slices.ContainsFunc(starts, func(word string) bool { return strings.Contains(lower, word) }) {
		return "", false
	}
	words := strings.FieldsFunc(lower, func(c rune) bool { return strings.ContainsRune(" \t\n\r\"'`,()[]{};\\|&", c) })
	for i, w := range words {
		switch path.Base(w) {
		case "git":
			if verb := verbAfter(words[i+1:]); verb == "push" || verb == "send-pack" || verb == "http-push" {
				return Push, true
			}
		case "git-push", "git-send-pack":
			return Push, true
		case "gh", "glab", "hub":
			if i+2 < len(words) && (words[i+1] == "pr" || words[i+1] == "mr" || words[i+1] == "pull-request") && !readsHub("pr", words[i+2]) {
				return ForgeWrite, true
			}
		}
	}
	return "", false
}

// verbAfter skips git's options and the values of -C and -c.
func verbAfter(words []string) string {
	for i := 0; i < len(words); i++ {
		switch {
		case words[i] == "-c":
			i++
		case !strings.HasPrefix(words[i], "-"):
			return words[i]
		}
	}
	return ""
}
