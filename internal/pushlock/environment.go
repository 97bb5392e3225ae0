package pushlock

import (
	"fmt"
	"strings"
)

// setting is a name and its value.
type setting struct{ name, value string }

// configuration is git's configuration in a locked session; it outranks every file. The last entry marks the list as
// complete, so that the lock is not applied twice.
func (l Lock) configuration() []setting {
	return []setting{
		{"url." + locked + "::.pushInsteadOf", ""}, // the empty prefix: every address that is pushed to
		{"push.gpgSign", "true"},                   // an explicit pushurl is not redirected, but no forge takes signed pushes
		{"credential.helper", ""},                  // forgets the helpers set before
		{"http.extraHeader", ""},
		{"http.https://github.com/.extraHeader", ""},
		{"http.https://gitlab.com/.extraHeader", ""},
		{"stellwerk-pushlock.dir", l.dir},
	}
}

// variables are set for the session.
func (l Lock) variables() []setting {
	return []setting{
		{"GIT_CONFIG_SYSTEM", l.path("gitconfig")},
		{"GIT_CONFIG_NOSYSTEM", "0"},
		{"GIT_SSH_COMMAND", quoted(l.path("git/ssh"))},
		{"GIT_ASKPASS", l.path("askpass")},
		{"SSH_ASKPASS", l.path("askpass")},
		{"GIT_TERMINAL_PROMPT", "0"},
		{"GCM_INTERACTIVE", "never"},
		{"GH_CONFIG_DIR", l.path("none")},
		{"GLAB_CONFIG_DIR", l.path("none")},
		{"HUB_CONFIG", l.path("none/hub")},
	}
}

// kept are the person's own settings that the lock's scripts use for commands that are allowed.
func kept() []string {
	return []string{"GIT_SSH_COMMAND", "GIT_SSH", "GH_CONFIG_DIR", "GLAB_CONFIG_DIR", "HUB_CONFIG"}
}

const keptPrefix = "STELLWERK_PUSHLOCK_"

// removed lists variables to take out of the environment: credentials of forges, and settings that would outrank the lock.
func removed() []string {
	return []string{
		"GH_TOKEN", "GITHUB_TOKEN", "GH_ENTERPRISE_TOKEN", "GITHUB_ENTERPRISE_TOKEN", "GITHUB_PAT", "GITHUB_USER", "GITHUB_PASSWORD", "HOMEBREW_GITHUB_API_TOKEN",
		"GITLAB_TOKEN", "GITLAB_ACCESS_TOKEN", "GITLAB_PRIVATE_TOKEN", "CI_JOB_TOKEN", "GITEA_TOKEN", "GITEA_SERVER_TOKEN", "FORGEJO_TOKEN", "CODEBERG_TOKEN",
		"BITBUCKET_TOKEN", "BITBUCKET_APP_PASSWORD", "AZURE_DEVOPS_EXT_PAT", "SYSTEM_ACCESSTOKEN",
		"GIT_SSH", "GIT_PROXY_COMMAND", "GIT_EXEC_PATH",
	}
}

// Script returns lines for sh that lock the shell that reads them, once.
func (l Lock) Script() string {
	var b strings.Builder
	entries := l.configuration()
	mark := entries[len(entries)-1]
	fmt.Fprintf(&b, "# Stellwerk: nothing in this session pushes.\n")
	fmt.Fprintf(&b, "case ${GIT_CONFIG_COUNT-} in '' | *[!0-9]*) GIT_CONFIG_COUNT=0 ;; esac\n")
	fmt.Fprintf(&b, "eval \"stellwerk_mark=\\${GIT_CONFIG_KEY_$((GIT_CONFIG_COUNT - 1))-}=\\${GIT_CONFIG_VALUE_$((GIT_CONFIG_COUNT - 1))-}\" 2>/dev/null || stellwerk_mark=\n")
	fmt.Fprintf(&b, "if [ \"$stellwerk_mark\" != %s ]; then\n", quoted(mark.name+"="+mark.value))
	for _, name := range kept() {
		fmt.Fprintf(&b, "export %s%s=\"${%s-}\"\n", keptPrefix, name, name)
	}
	fmt.Fprintf(&b, "unset %s\n", strings.Join(removed(), " "))
	for _, s := range l.variables() {
		fmt.Fprintf(&b, "export %s=%s\n", s.name, doubleQuoted(s.value))
	}
	for _, entry := range entries {
		fmt.Fprintf(&b, "export \"GIT_CONFIG_KEY_$GIT_CONFIG_COUNT\"=%s \"GIT_CONFIG_VALUE_$GIT_CONFIG_COUNT\"=%s\n", quoted(entry.name), quoted(entry.value))
		fmt.Fprintf(&b, "GIT_CONFIG_COUNT=$((GIT_CONFIG_COUNT + 1))\n")
	}
	fmt.Fprintf(&b, "export GIT_CONFIG_COUNT\nfi\nunset stellwerk_mark\n")
	fmt.Fprintf(&b, "case $PATH in %s:*) ;; *) export PATH=%s\":$PATH\" ;; esac\n", quoted(l.bin()), quoted(l.bin()))
	return b.String()
}

// doubleQuoted makes a word of sh from a path that may stand in single quotes.
func doubleQuoted(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "$", `\$`, "`", "\\`").Replace(s) + `"`
}
