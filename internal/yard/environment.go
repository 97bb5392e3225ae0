package yard

import "os"

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

// ownConfig overrides a repository's own configuration.
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

// personEnv is for reading a person's repository as their own git sees it: their global
// configuration applies (identity, ignore rules, safe.directory), nothing else is taken over.
func personEnv() []string {
	env := []string{
		"LC_ALL=C",
		"GIT_TERMINAL_PROMPT=0",
		"GIT_OPTIONAL_LOCKS=0",
		"GIT_ALLOW_PROTOCOL=none",
		"GIT_NO_LAZY_FETCH=1",
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
