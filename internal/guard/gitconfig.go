package guard

import (
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/guard/shell"
)

// gitConfig judges `git config`: reading is always allowed, setting depends on the key.
func (j *judge) gitConfig(r *shell.Run, p shell.Program, args []shell.Text) {
	found := shell.Scan(args, "f", "file blob type default comment value")
	operands := found.Operands
	sub := ""
	if len(operands) > 0 && !strings.Contains(string(operands[0]), ".") {
		sub = string(operands[0])
		operands = operands[1:]
	}
	switch {
	case found.Has("get get-all get-regexp get-urlmatch list l get-color get-colorbool") || sub == "get" || sub == "list":
		return
	case found.Has("e edit") || sub == "edit":
		r.Refuse(Configuration, "`git config --edit` lets an editor change anything in git's configuration; set the one key you mean")
	case found.Has("unset unset-all remove-section rename-section") || sub == "unset" || sub == "remove-section" || sub == "rename-section":
		if sub != "" && sub != "unset" && sub != "remove-section" && sub != "rename-section" {
			operands = append([]shell.Text{shell.Text(sub)}, operands...) // a section has no dot
		}
		for _, key := range operands {
			j.setting(r, p, key, shell.Unknown())
		}
	case len(operands) >= 2:
		j.setting(r, p, operands[0], operands[1])
	case sub == "set" || found.Has("add replace-all"):
		j.setting(r, p, shell.Unknown(), shell.Unknown())
	case len(operands) == 1 && operands[0].Splits() || sub != "" && sub != "set" && len(operands) > 0:
		j.setting(r, p, shell.Unknown(), shell.Unknown())
	}
}

// setting judges one key of git's configuration.
func (j *judge) setting(r *shell.Run, p shell.Program, key, value shell.Text) {
	if !key.Known() {
		r.Refuse(shell.Unresolved, "which setting of git is changed is only known once the command runs; write it out")
		return
	}
	switch riskOf(strings.ToLower(string(key))) {
	case harmless:
	case runs:
		if isWord(value) {
			return
		}
		r.Code(p, value, nil)
	case onlySwitch:
		if !isWord(value) {
			steers(r, key)
		}
	case steering:
		steers(r, key)
	}
}

func steers(r *shell.Run, key shell.Text) {
	r.Refuse(Configuration, "the setting `"+key.String()+"` decides where git pushes to or what it runs; it is the person's to set: do without it")
}

// isWord reports a value that is a plain switch and not a command.
func isWord(value shell.Text) bool {
	return value == "" || shell.Listed("true false yes no on off 0 1 cat auto never always", string(value))
}

// risk says what a setting or a variable can do.
type risk int

const (
	harmless   risk = iota
	runs            // its value is a command
	onlySwitch      // harmless as a switch, a command otherwise
	steering        // it redirects, holds a credential or has git run something
)

// keyRisk says what the keys of some sections of git's configuration can do. All lists are separated by spaces.
type keyRisk struct {
	sections                             string
	harmless, runs, onlySwitch, steering string // names of keys
	others                               risk   // of keys that are in no list
}

// keyRisks knows the sections, in lower case, that can redirect a push or run a command.
func keyRisks() []keyRisk {
	return []keyRisk{
		{sections: "alias url include includeif filter protocol ssh receive uploadpack uploadarchive transfer extensions hook " +
			"credential svn-remote trailer man browser instaweb sendemail imap git-p4 lfs gpg stellwerk-pushlock guitool", others: steering},
		{sections: "core", runs: "editor pager", onlySwitch: "fsmonitor",
			steering: "hookspath sshcommand gitproxy askpass alternaterefscommand worktree bare virtualfilesystem"},
		{sections: "remote", harmless: "fetch tagopt prune prunetags skipdefaultupdate skipfetchall promisor partialclonefilter", others: steering},
		{sections: "branch", steering: "pushremote"},
		{sections: "push", harmless: "default autosetupremote followtags", others: steering},
		{sections: "http https", harmless: "postbuffer version lowspeedlimit lowspeedtime maxrequests", others: steering},
		{sections: "submodule", steering: "update url"},
		{sections: "init", steering: "templatedir"},
		{sections: "pager", others: runs},
		{sections: "diff merge difftool mergetool interactive sequence web", runs: "external command textconv driver cmd path difffilter editor"},
	}
}

// riskOf finds what a key in lower case can do.
func riskOf(key string) risk {
	section, rest, _ := strings.Cut(key, ".")
	name := rest[strings.LastIndexByte(rest, '.')+1:]
	if section == "core" && name == "" || section == "remote" && !strings.Contains(rest, ".") {
		return steering
	}
	for _, k := range keyRisks() {
		switch {
		case !shell.Listed(k.sections, section):
		case shell.Listed(k.harmless, name):
			return harmless
		case shell.Listed(k.runs, name):
			return runs
		case shell.Listed(k.onlySwitch, name):
			return onlySwitch
		case shell.Listed(k.steering, name):
			return steering
		default:
			return k.others
		}
	}
	return harmless
}
