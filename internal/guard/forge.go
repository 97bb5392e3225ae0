package guard

import (
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/guard/shell"
)

func isForgeClient(name string) bool { return shell.Listed("gh hub glab tea az jj hg sl", name) }

// forge judges the command-line clients of forges. It allows commands that are known to read; anything else may write.
func (j *judge) forge(r *shell.Run, p shell.Program) {
	found := shell.ScanFirst(p.Args, "RC", "repo hostname login remote")
	var words []string
	rest := found.Operands
	for len(rest) > 0 && len(words) < 3 && !strings.HasPrefix(string(rest[0]), "-") {
		if !rest[0].Known() && len(words) < 2 {
			words = append(words, "?")
		} else {
			words = append(words, string(rest[0]))
		}
		rest = rest[1:]
	}
	words = append(words, "", "", "")
	if words[0] == "" || words[0] == "help" || words[0] == "version" || found.Has("help h version") || hasAny(rest, "--help -h") {
		return
	}
	if p.Name == "gh" || p.Name == "glab" {
		if words[0] == "api" {
			j.api(r, p)
			return
		}
		if words[0] == "auth" && (words[1] == "token" || words[1] == "login" || words[1] == "refresh" || words[1] == "setup-git") || hasAny(rest, "--show-token -t") && words[0] == "auth" {
			r.Refuse(Credential, "`"+p.Name+" auth "+words[1]+"` shows or sets a credential, which no session needs; go on without it")
			return
		}
	}
	if !readsForge(p.Name, words) {
		shown := strings.TrimSpace(p.Name + " " + words[0] + " " + words[1])
		r.Refuse(ForgeWrite, "`"+shown+"` is not known to only read; what is written on the forge, pull requests included, is Stellwerk's own act"+
			j.instead(": say in your answer what should be written there", ": it happens when the run's gate is passed"))
	}
}

// readsForge reports the commands that change nothing on a forge.
func readsForge(client string, words []string) bool {
	switch client {
	case "gh", "glab":
		return readsHub(words[0], words[1])
	case "hub": // git's commands that write nothing elsewhere, and hub's own that only read
		return shell.Listed("browse ci-status compare alias checkout status log diff show branch fetch add commit clone pull stash tag", words[0])
	case "tea":
		lists := shell.Listed("pr pulls pull issue issues release releases repo repos labels milestones branches", words[0])
		return lists && (words[1] == "" || shell.Listed("list ls checkout", words[1])) || shell.Listed("whoami open notifications", words[0])
	case "az":
		return words[0] != "repos" || shell.Listed("list show", words[1]) || shell.Listed("list show", words[2])
	case "jj":
		return words[0] != "git" || words[1] != "push"
	case "hg", "sl":
		return !shell.Listed("push pr ghstack", words[0])
	}
	return false
}

func readsHub(noun, verb string) bool {
	switch noun {
	case "auth":
		return verb == "status"
	case "config":
		return verb == "get" || verb == "list"
	case "search", "browse", "status", "completion", "check-update", "licenses", "accessibility", "co": // the last is gh's own alias of pr checkout
		return true
	}
	return shell.Listed("pr mr issue repo run ci release gist snippet label workflow cache secret variable org project ruleset extension alias "+
		"codespace gpg-key ssh-key pipeline job milestone attestation", noun) &&
		(shell.Listed("view show list ls status diff checks checkout clone watch download trace lint get verify issues", verb) || verb == "" && noun != "extension")
}

// api judges `gh api` and `glab api`: the method decides, and for GraphQL the query.
func (j *judge) api(r *shell.Run, p shell.Program) {
	found := shell.Scan(p.Args, "XfFHqtR", "method field raw-field input header jq template hostname preview cache")
	method, given := found.Value("X method")
	fields := append(found.Values("f raw-field"), found.Values("F field form")...)
	sends := len(fields) > 0 || found.Has("input")
	operands := found.Operands
	graphql := len(operands) > 1 && strings.HasSuffix(strings.Trim(string(operands[1]), "/"), "graphql")
	switch {
	case graphql && onlyAsks(fields) && !found.Has("input"):
	case !graphql && !given && !sends, !graphql && isReadMethod(method) && given:
	default:
		r.Refuse(ForgeWrite, "`"+p.Name+" api` would write on the forge, or may; what is written there is Stellwerk's own act: ask with GET, and say in your answer what should be written")
	}
}

// onlyAsks reports a GraphQL query that is written out and changes nothing.
func onlyAsks(fields []shell.Text) bool {
	asked := false
	for _, t := range fields {
		name, query, _ := strings.Cut(string(t), "=")
		if name == "query" && mayChange(shell.Text(query)) {
			return false
		}
		asked = asked || name == "query"
	}
	return asked
}

// mayChange reports a GraphQL query that is not written out, or that changes something.
func mayChange(query shell.Text) bool {
	return !query.Known() || strings.HasPrefix(string(query), "@") || strings.Contains(strings.ToLower(string(query)), "mutation")
}

func isReadMethod(method shell.Text) bool {
	return shell.Listed("GET HEAD OPTIONS", strings.ToUpper(string(method)))
}
