package registry

import (
	"context"
	_ "embed"
	"fmt"
	"slices"
	"strings"
)

//go:embed ask_pip.py
var pipScript string

// askPip reads pip's settings, among which pip counts its PIP_ variables, and its defaults.
func askPip(ctx context.Context, t tool) (finding, error) {
	out, err := t.run(ctx, "python3", "-c", pipScript)
	if err != nil {
		return finding{}, fmt.Errorf("%w; is pip installed for this Python?", err)
	}
	settings := pipSettings(out)
	var found finding
	found.pipAddresses("find-links", settings["find-links"])
	if no := settings["no-index"]; len(no) > 0 && slices.Contains([]string{"1", "on", "t", "true", "y", "yes"}, strings.ToLower(no[0])) {
		return found, nil
	}
	index, set := settings["index-url"]
	if !set {
		return finding{}, errAnswer
	}
	found.pipIndexes(slices.Concat(index, settings["extra-index-url"]), pipDefaults(out))
	return found, nil
}

// pipIndexes adds indexes. A mirror usually serves the files itself; the index that is pip's default does not.
func (f *finding) pipIndexes(indexes []string, defaults map[string][]string) {
	hosts := f.pipAddresses("index-url", indexes)
	for _, index := range defaults["index-url"] {
		if host, err := hostOf(index); err == nil && slices.Contains(hosts, host) {
			f.pipAddresses("pip's host for files", defaults["files-url"])
		}
	}
}

// pipAddresses adds and returns the hosts of a setting, in which folders may stand as well.
func (f *finding) pipAddresses(setting string, addresses []string) []string {
	before := len(f.hosts)
	for _, address := range addresses {
		if strings.Contains(address, "://") {
			f.url(setting, address)
		}
	}
	return slices.Clone(f.hosts[before:])
}

// pipSettings are what holds for `pip install`: its own settings win over those for all commands, and variables over both.
func pipSettings(out string) map[string][]string {
	return pipLines(out, "default", "global", "install", ":env:")
}

func pipDefaults(out string) map[string][]string { return pipLines(out, "default") }

// pipLines reads lines such as global.index-url='https://…'. Of two lines for one setting the one of the later section
// holds. A list is one text, whose lines are parted by \n as Python prints it.
func pipLines(out string, sections ...string) map[string][]string {
	settings, from := map[string][]string{}, map[string]int{}
	for line := range strings.Lines(out) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		dot := strings.LastIndex(key, ".")
		if dot < 0 {
			continue
		}
		name, rank := key[dot+1:], slices.Index(sections, key[:dot])
		if rank < 0 || rank < from[name] {
			continue
		}
		text := strings.ReplaceAll(strings.Trim(value, `'"`), `\n`, " ")
		settings[name], from[name] = strings.Fields(text), rank
	}
	return settings
}
