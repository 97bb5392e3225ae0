package yard

import (
	"fmt"
	"os"
	"slices"
	"strings"
)

// transports are the ways git may reach a remote. Anything else, ext above all, runs programs of the remote's choosing.
const transports = "file:git:http:https:ssh"

// ownEnv is the whole environment of a git process; of the caller's only PATH is taken.
func ownEnv() []string {
	return []string{
		"PATH=" + os.Getenv("PATH"),
		"HOME=/dev/null",
		"XDG_CONFIG_HOME=/dev/null",
		"LC_ALL=C",
		"TZ=UTC",
		"GIT_CONFIG_NOSYSTEM=1",
		"GIT_CONFIG_GLOBAL=/dev/null",
		"GIT_ATTR_NOSYSTEM=1",
		"GIT_TERMINAL_PROMPT=0",
		"GIT_OPTIONAL_LOCKS=0",
		"GIT_NO_REPLACE_OBJECTS=1",
		"GIT_LITERAL_PATHSPECS=1",
		"GIT_ALLOW_PROTOCOL=" + transports,
		"GIT_EDITOR=false",
		"GIT_PAGER=cat",
	}
}

// ownConfig outranks whatever a repository's own configuration says.
func ownConfig() []string {
	return []string{
		"core.hooksPath=/dev/null",
		"core.fsmonitor=false",
		"core.untrackedCache=false",
		"core.commitGraph=false",
		"core.attributesFile=/dev/null",
		"core.excludesFile=/dev/null",
		"core.protectHFS=true",
		"core.protectNTFS=true",
		"core.filesRefLockTimeout=5000",
		"core.packedRefsTimeout=5000",
		"commit.gpgSign=false",
		"gc.auto=0",
		"maintenance.auto=false",
		"protocol.ext.allow=never",
		"submodule.recurse=false",
		"transfer.fsckObjects=true",
		"transfer.unpackLimit=1",
	}
}

// remoteNames are the variables RemoteEnv accepts: where credentials, proxies and certificates are found.
// GIT_CONFIG_GLOBAL lets the person's own credential helpers and address rewrites apply to remotes.
func remoteNames() []string {
	return []string{
		"HOME", "XDG_CONFIG_HOME", "GIT_CONFIG_GLOBAL",
		"SSH_AUTH_SOCK", "SSH_ASKPASS", "GIT_ASKPASS", "GIT_SSH", "GIT_SSH_COMMAND",
		"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "all_proxy", "no_proxy",
		"SSL_CERT_FILE", "SSL_CERT_DIR", "GIT_SSL_CAINFO", "GIT_SSL_CAPATH",
	}
}

// RemoteEnv gives NAME=value pairs to git when, and only when, it talks to a remote.
// A name outside the list of credential, proxy and certificate variables is an error.
func RemoteEnv(pairs ...string) Option {
	return func(y *Yard) error {
		for _, pair := range pairs {
			name, _, ok := strings.Cut(pair, "=")
			if !ok || !slices.Contains(remoteNames(), name) {
				return fmt.Errorf("environment variable %q is not one git may get for remotes (%s)", name, strings.Join(remoteNames(), ", "))
			}
			y.remoteEnv = append(y.remoteEnv, pair)
		}
		return nil
	}
}

// personEnv is for reading a person's repository as their own git sees it: their global
// configuration applies (identity, ignore rules, safe.directory), nothing else is taken over.
func personEnv() []string {
	env := []string{
		"LC_ALL=C",
		"GIT_TERMINAL_PROMPT=0",
		"GIT_OPTIONAL_LOCKS=0",
		"GIT_ALLOW_PROTOCOL=none",
		"GIT_EDITOR=false",
		"GIT_PAGER=cat",
	}
	for _, name := range []string{"PATH", "HOME", "XDG_CONFIG_HOME", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM", "GIT_CEILING_DIRECTORIES"} {
		if value, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+value)
		}
	}
	return env
}
