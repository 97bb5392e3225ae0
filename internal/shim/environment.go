package shim

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/agent"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/sandbox"
)

// certificateVariables name files and folders that a program needs for TLS. The sandbox shows what they point to.
func certificateVariables() []string {
	return []string{
		"SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS", "CURL_CA_BUNDLE", "REQUESTS_CA_BUNDLE",
		"GIT_SSL_CAINFO", "NIX_SSL_CERT_FILE", "PIP_CERT", "CARGO_HTTP_CAINFO",
	}
}

// hostVariables are what an agent inherits from the machine: language, time zone, the way to the network. It inherits
// nothing else, so no credential in the engine's environment reaches it.
func hostVariables() []string {
	return append(certificateVariables(),
		"PATH", "LANG", "LANGUAGE", "TZ", "USER", "LOGNAME", "NO_PROXY", "no_proxy")
}

// SupervisorEnvironment keeps of environ what a shim inherits from the engine: what it hands on, and the way to the network
// with the password that this needs.
func SupervisorEnvironment(environ []string) []string {
	return hostEnvironment(environ, func(proxy string) string { return proxy })
}

// HostEnvironment keeps of environ what an agent may inherit.
func HostEnvironment(environ []string) []string {
	return hostEnvironment(environ, func(proxy string) string {
		bare, _ := withoutPassword(proxy)
		return bare
	})
}

func hostEnvironment(environ []string, proxy func(address string) string) []string {
	allowed := hostVariables()
	var kept []string
	for _, entry := range environ {
		name, value, _ := strings.Cut(entry, "=")
		switch {
		case slices.Contains(allowed, name) || strings.HasPrefix(name, "LC_"):
			kept = append(kept, entry)
		case isProxy(name):
			kept = append(kept, name+"="+proxy(value))
		}
	}
	return kept
}

// isProxy reports a variable with the address of a proxy, in any spelling that programs read.
func isProxy(name string) bool {
	switch strings.ToLower(name) {
	case "http_proxy", "https_proxy", "all_proxy", "ftp_proxy":
		return true
	}
	return false
}

// withoutPassword takes the name and the password out of a proxy's address, and reports whether there were any. It takes
// everything before the last @ for them, so that a password in a malformed address does not pass.
func withoutPassword(address string) (bare string, had bool) {
	scheme, rest, found := strings.Cut(address, "://")
	if !found {
		scheme, rest = "", address
	} else {
		scheme += "://"
	}
	at := strings.LastIndexByte(rest, '@')
	if at < 0 {
		return address, false
	}
	return scheme + rest[at+1:], true
}

// ProxiesWithPassword names the variables of environ that hold the address of a proxy with a password. Agents and checks get
// the address without it.
func ProxiesWithPassword(environ []string) []string {
	var names []string
	for _, entry := range environ {
		name, value, _ := strings.Cut(entry, "=")
		if _, had := withoutPassword(value); isProxy(name) && had {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// variables is an environment under construction; later settings replace earlier ones.
type variables map[string]string

func (v variables) add(entries []string) {
	for _, entry := range entries {
		if name, value, ok := strings.Cut(entry, "="); ok {
			v[name] = value
		}
	}
}

func (v variables) list() []string {
	out := make([]string, 0, len(v))
	for _, name := range slices.Sorted(maps.Keys(v)) {
		out = append(out, name+"="+v[name])
	}
	return out
}

// takeSecrets moves the named variables out of this process's environment.
func takeSecrets(names []string) (variables, error) {
	out := variables{}
	for _, name := range names {
		value, ok := os.LookupEnv(name)
		if !ok {
			return nil, fmt.Errorf("the secret %s was not handed to the shim", name)
		}
		out[name] = value
		if err := os.Unsetenv(name); err != nil {
			return nil, fmt.Errorf("take the secret %s: %w", name, err)
		}
	}
	return out, nil
}

// takePresent is takeSecrets for variables that may be missing.
func takePresent(names []string) (variables, error) {
	names = slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		_, ok := os.LookupEnv(name)
		return !ok
	})
	return takeSecrets(names)
}

// values are the values of all sets, without repetitions.
func values(sets ...variables) []string {
	var out []string
	for _, s := range sets {
		for _, v := range s {
			if v != "" {
				out = append(out, v)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// agentVariables is the agent's environment without PATH, which depends on what the isolation shows.
func agentVariables(spec Spec, launch agent.Launch, secrets variables, host []string) variables {
	v := variables{"TERM": "dumb", "SHELL": "/bin/sh", "GIT_TERMINAL_PROMPT": "0"}
	v.add(HostEnvironment(host))
	maps.Copy(v, managedVariables(spec)) // first: what the playbook sets is the person's wish
	maps.Copy(v, spec.Settings.over(spec.Env, secrets))
	maps.Copy(v, spec.Env)
	v.add(launch.Env)
	maps.Copy(v, secrets)
	v.setIdentity(spec.Identity)
	v["HOME"] = spec.Job.Home
	for name, value := range map[string]string{
		"PROJECT": spec.Project, "RUN": spec.Run, "TASK": spec.Task, "ATTEMPT": spec.Attempt,
		"BRANCH": spec.Branch, "INTEGRATION_BRANCH": spec.IntegrationBranch,
		"TRIGGER": spec.Trigger, "CONVERSATION": spec.Conversation,
		"PROMPT": spec.Job.Prompt, "IN": spec.Job.In, "OUT": spec.Job.Out,
	} {
		v["STELLWERK_"+name] = value
	}
	return v
}

// maxPromptVariable bounds a prompt in the environment. Linux takes at most 128 KiB
// for one variable.
const maxPromptVariable = 96 << 10

// managedVariables are for the attempts of a project, under the plain names that
// agents written for a project manager know. Other attempts do not get them: a name
// like BRANCH may mean something else to the programs that they run.
func managedVariables(spec Spec) variables {
	if spec.Tools == "" {
		return nil
	}
	v := variables{
		"PROJECT_ID": spec.Project, "REPO_URL": spec.Repository, "CONVERSATION_ID": spec.Conversation,
		"TASK_ID": spec.Run + "/" + spec.Task, "TRIGGERED_BY_TASK_ID": spec.TriggeredBy,
		"BRANCH": spec.Branch, "INTEGRATION_BRANCH": spec.IntegrationBranch,
		"GIT_USER_NAME": spec.Identity.Name, "GIT_USER_EMAIL": spec.Identity.Email,
	}
	// A prompt must not be cut: if it is too long, the agent reads it from the file or
	// standard input.
	if text, err := os.ReadFile(spec.Job.Prompt); err == nil && len(text) <= maxPromptVariable && !bytes.ContainsRune(text, 0) {
		v["TASK_PROMPT"] = string(text)
	}
	return v
}

func (v variables) setIdentity(id core.Identity) {
	if id.Name == "" && id.Email == "" {
		return
	}
	v["GIT_AUTHOR_NAME"], v["GIT_COMMITTER_NAME"] = id.Name, id.Name
	v["GIT_AUTHOR_EMAIL"], v["GIT_COMMITTER_EMAIL"] = id.Email, id.Email
}

// fallbackPath is used if the machine's own PATH is unset.
const fallbackPath = "/usr/local/bin:/usr/bin:/bin"

// setPath puts tools first and leaves out what the isolation does not show.
func (v variables) setPath(kind sandbox.Kind, box sandbox.Spec, tools string) error {
	path := cmp.Or(v["PATH"], fallbackPath)
	if tools != "" {
		path = tools + string(filepath.ListSeparator) + path
	}
	if kind == sandbox.Sandbox {
		visible, err := sandbox.VisiblePath(path, box)
		if err != nil {
			return err
		}
		path = visible
	}
	v["PATH"] = path
	return nil
}

// certificates are the files and folders that the machine's own variables name for TLS. A playbook may set those variables
// too, but that shows nothing: only the person opens paths.
func certificates(environ []string) []string {
	machine := variables{}
	machine.add(environ)
	var out []string
	for _, name := range certificateVariables() {
		path := machine[name]
		if path == "" || !filepath.IsAbs(path) || strings.HasPrefix(path, "/etc/") || strings.HasPrefix(path, "/usr/") {
			continue
		}
		if _, err := os.Stat(path); err == nil {
			out = append(out, filepath.Clean(path))
		}
	}
	return out
}
