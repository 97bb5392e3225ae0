package guard

import (
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/guard/shell"
)

// gitConfig judges `git config`: asking is free, setting depends on the key.
func (j *judge) gitConfig(r *shell.Run, p shell.Program, args []shell.Text) {
	found := shell.Scan(args, "f", "file blob type default comment value")
	operands := found.Operands
	sub := ""
	if len(operands) > 0 && !strings.Contains(string(operands[0]), ".") {
		sub = string(operands[0])
		operands = operands[1:]
	}
	switch {
	case found.Has("get", "get-all", "get-regexp", "get-urlmatch", "list", "l", "get-color", "get-colorbool") || sub == "get" || sub == "list":
		return
	case found.Has("e", "edit") || sub == "edit":
		r.Refuse(Configuration, "`git config --edit` lets an editor change anything in git's configuration; set the one key you mean")
	case found.Has("unset", "unset-all", "remove-section", "rename-section") || sub == "unset" || sub == "remove-section" || sub == "rename-section":
		if sub != "" && sub != "unset" && sub != "remove-section" && sub != "rename-section" {
			operands = append([]shell.Text{shell.Text(sub)}, operands...) // a section has no dot
		}
		for _, key := range operands {
			j.setting(r, p, key, shell.Unknown())
		}
	case len(operands) >= 2:
		j.setting(r, p, operands[0], operands[1])
	case sub == "set" || found.Has("add", "replace-all"):
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

// isWord reports a plain switch.
func isWord(value shell.Text) bool {
	switch value {
	case "", "true", "false", "yes", "no", "on", "off", "0", "1", "cat", "auto", "never", "always":
		return true
	}
	return false
}

// risk is what a setting can do.
type risk int

const (
	harmless   risk = iota
	runs            // its value is a command
	onlySwitch      // harmless as a switch, a command otherwise
	steering        // it redirects, holds a credential or has git run something
)

// riskOf knows the keys, in lower case, that can redirect a push or run a command.
func riskOf(key string) risk {
	section, rest, _ := strings.Cut(key, ".")
	name := rest[strings.LastIndexByte(rest, '.')+1:]
	switch section {
	case "alias", "url", "include", "includeif", "filter", "protocol", "ssh", "receive", "uploadpack", "uploadarchive", "transfer", "extensions", "hook",
		"credential", "svn-remote", "trailer", "man", "browser", "instaweb", "sendemail", "imap", "git-p4", "lfs", "gpg", "stellwerk-pushlock", "guitool":
		return steering
	case "core":
		return coreRisk(name)
	case "remote":
		return remoteRisk(rest, name)
	case "branch":
		return steeringIf(name == "pushremote")
	case "push":
		return steeringIf(name != "default" && name != "autosetupremote" && name != "followtags")
	case "http", "https":
		return steeringIf(name != "postbuffer" && name != "version" && name != "lowspeedlimit" && name != "lowspeedtime" && name != "maxrequests")
	case "submodule":
		return steeringIf(name == "update" || name == "url")
	case "init":
		return steeringIf(name == "templatedir")
	case "diff", "merge", "difftool", "mergetool", "interactive", "sequence", "pager", "web":
		switch name {
		case "external", "command", "textconv", "driver", "cmd", "path", "difffilter", "editor":
			return runs
		}
		if section == "pager" {
			return runs
		}
	}
	return harmless
}

func steeringIf(condition bool) risk {
	if condition {
		return steering
	}
	return harmless
}

func coreRisk(name string) risk {
	switch name {
	case "editor", "pager":
		return runs
	case "fsmonitor":
		return onlySwitch
	case "", "hookspath", "sshcommand", "gitproxy", "askpass", "alternaterefscommand", "worktree", "bare", "virtualfilesystem":
		return steering
	}
	return harmless
}

func remoteRisk(rest, name string) risk {
	if rest == "pushdefault" || rest == "" || !strings.Contains(rest, ".") {
		return steering
	}
	switch name {
	case "fetch", "tagopt", "prune", "prunetags", "skipdefaultupdate", "skipfetchall", "promisor", "partialclonefilter":
		return harmless
	}
	return steering
}
