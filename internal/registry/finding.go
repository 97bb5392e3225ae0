package registry

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
)

// finding collects what a tool said.
type finding struct {
	hosts     []string
	variables map[string]string
	files     map[string]string
	logins    []string // hosts
	remarks   []string
}

// url adds the host of a registry and returns the address as it can be handed in; empty if it cannot be read. What is wrong
// with an address is said without it, because it may contain a password.
func (f *finding) url(setting, text string) string {
	host, err := hostOf(text)
	if err != nil {
		f.remark("%s %v: %s", setting, err, nameThem)
		return ""
	}
	address, secret := bare(text)
	if host != "" {
		f.hosts = append(f.hosts, host)
		if secret {
			f.login(host)
		}
	}
	return address
}

// bare takes out of an address what may be secret: the user, the password and the query. It reports whether there was any.
func bare(text string) (address string, secret bool) {
	parsed, err := url.Parse(strings.TrimSpace(text))
	if err != nil {
		return "", true
	}
	secret = parsed.User != nil || parsed.RawQuery != ""
	parsed.User, parsed.RawQuery, parsed.ForceQuery, parsed.Fragment, parsed.RawFragment = nil, "", false, "", ""
	return parsed.String(), secret
}

// login notes that there is a login for a host, which is not handed in.
func (f *finding) login(host string) { f.logins = append(f.logins, host) }

// set adds a variable. An empty value says nothing.
func (f *finding) set(name, value string) {
	if value == "" {
		return
	}
	if f.variables == nil {
		f.variables = map[string]string{}
	}
	f.variables[name] = value
}

// handOn takes over a variable of the person's environment that has the address of a registry. It wins over what a
// repository says, as it does outside. The address is one that the tool has named, so its host is known.
func (f *finding) handOn(t tool, names ...string) {
	for _, name := range names {
		for _, entry := range t.environ {
			key, value, _ := strings.Cut(entry, "=")
			if !strings.EqualFold(key, name) {
				continue
			}
			if host, err := hostOf(value); err == nil && host != "" {
				address, _ := bare(value)
				f.set(key, address)
			}
		}
	}
}

// file adds a file that has the lines. One without any is none.
func (f *finding) file(path string, lines ...string) {
	if len(lines) == 0 {
		return
	}
	if f.files == nil {
		f.files = map[string]string{}
	}
	f.files[path] = strings.Join(lines, "\n") + "\n"
}

func (f *finding) remark(format string, args ...any) {
	f.remarks = append(f.remarks, fmt.Sprintf(format, args...))
}

func (f *finding) answer(preset string) Answer {
	if len(f.hosts) == 0 && len(f.remarks) == 0 {
		f.remark("%s is set to use no host", preset)
	}
	if len(f.logins) > 0 {
		slices.Sort(f.logins)
		f.remark("agents get no login for %s: a registry that needs one refuses setup and checks, and agents unless their playbook names the secret",
			strings.Join(slices.Compact(f.logins), ", "))
	}
	slices.Sort(f.hosts)
	slices.Sort(f.remarks)
	return Answer{
		Hosts: slices.Compact(f.hosts), Settings: Settings{Variables: maps.Clone(f.variables), Files: maps.Clone(f.files)},
		Remark: strings.Join(slices.Compact(f.remarks), "; "),
	}
}
