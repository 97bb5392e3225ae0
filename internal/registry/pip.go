package registry

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// pipDefaults prints where pip looks if it is set to nothing: its index, and the host that this index keeps files at.
const pipDefaults = `from pip._internal.models.index import PyPI; print(PyPI.url); print("https://" + PyPI.file_storage_domain)`

// askPip reads pip's settings, in which it includes its PIP_ variables, and its defaults.
func askPip(ctx context.Context, t tool) (finding, error) {
	out, err := t.run(ctx, "python3", "-m", "pip", "config", "list")
	if err != nil {
		return finding{}, fmt.Errorf("%w; is pip installed for this Python?", err)
	}
	settings := pipSettings(out)
	var found finding
	found.pipAddresses("find-links", settings["find-links"])
	if no := settings["no-index"]; len(no) > 0 && slices.Contains([]string{"1", "on", "t", "true", "y", "yes"}, strings.ToLower(no[0])) {
		return found, nil
	}
	out, err = t.run(ctx, "python3", "-c", pipDefaults)
	if err != nil {
		return finding{}, err
	}
	defaults := strings.Fields(out)
	if len(defaults) != 2 {
		return finding{}, errAnswer
	}
	found.pipIndexes(settings, defaults)
	return found, nil
}

// pipIndexes adds the index and those besides it. A mirror usually serves the files itself; the index that is pip's default
// does not.
func (f *finding) pipIndexes(settings map[string][]string, defaults []string) {
	index, set := settings["index-url"]
	if !set {
		index = defaults[:1]
	}
	files, _ := hostOf(defaults[0])
	for _, host := range f.pipAddresses("index-url", slices.Concat(index, settings["extra-index-url"])) {
		if host == files {
			f.url("pip's host for files", defaults[1])
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

// pipSettings reads lines such as global.index-url='https://…', of which there may be several for one setting: what
// is set for `pip install` wins over what is set for all commands, and a variable over both. A list is one text, whose lines
// are parted by \n as Python prints it.
func pipSettings(out string) map[string][]string {
	sections := []string{"global", "install", ":env:"}
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
