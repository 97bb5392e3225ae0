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
	own := []string{"global", "install", ":env:"} // later ones win
	settings := pipLines(out, append([]string{"default"}, own...)...)
	var found finding
	found.pipVariables(pipLines(out, own...))
	found.pipAddresses("find-links", settings["find-links"])
	if isSet(settings["no-index"]) {
		return found, nil
	}
	index, set := settings["index-url"]
	if !set {
		return finding{}, errAnswer
	}
	found.pipIndexes(slices.Concat(index, settings["extra-index-url"]), pipLines(out, "default"))
	return found, nil
}

// isSet is how pip reads a setting that is a yes or a no.
func isSet(value []string) bool {
	return len(value) > 0 && slices.Contains([]string{"1", "on", "t", "true", "y", "yes"}, strings.ToLower(value[0]))
}

// pipVariables sets what pip is to use inside. A repository has no settings for pip but in a list of requirements, which win
// over variables.
func (f *finding) pipVariables(own map[string][]string) {
	for _, name := range []string{"index-url", "extra-index-url", "find-links"} {
		var inside []string
		for _, address := range own[name] {
			host, err := hostOf(address)
			switch text, _ := bare(address); {
			case err == nil && host != "":
				inside = append(inside, text)
			case err == nil || strings.HasPrefix(address, "/"): // a folder
				inside = append(inside, address)
			}
		}
		f.set("PIP_"+variable(name), strings.Join(inside, " "))
	}
	if isSet(own["no-index"]) {
		f.set("PIP_NO_INDEX", "1")
	}
	trusted := slices.DeleteFunc(own["trusted-host"], func(host string) bool { return strings.Contains(host, "@") })
	f.set("PIP_TRUSTED_HOST", strings.Join(trusted, " "))
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
