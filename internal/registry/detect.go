package registry

import (
	"path"
	"slices"
	"strings"
)

// Detect names the presets of a project by its files, given as paths relative to its root. If the root shows none, the
// folders below it are looked at.
func Detect(files []string) []string {
	var root, below []string
	folders := map[string][]string{}
	for _, file := range files {
		folder, name, deeper := strings.Cut(file, "/")
		switch {
		case !deeper:
			root = append(root, file)
		case !strings.Contains(name, "/"):
			folders[folder] = append(folders[folder], name)
		}
	}
	if found := shown(root); len(found) > 0 {
		return found
	}
	for _, names := range folders {
		below = append(below, shown(names)...)
	}
	slices.Sort(below)
	return slices.Compact(below)
}

// shown are the presets that the files of one folder show, sorted. A package.json belongs to npm unless the lock file of
// another program lies beside it.
func shown(names []string) []string {
	var found []string
	for name, preset := range presets() {
		if slices.ContainsFunc(preset.marks, func(pattern string) bool { return matchesAny(pattern, names) }) {
			found = append(found, name)
		}
	}
	locked := slices.ContainsFunc(found, func(preset string) bool { return preset == "npm" || preset == "pnpm" || preset == "yarn" })
	if !locked && slices.Contains(names, "package.json") {
		found = append(found, "npm")
	}
	slices.Sort(found)
	return found
}

func matchesAny(pattern string, names []string) bool {
	return slices.ContainsFunc(names, func(name string) bool {
		matched, err := path.Match(pattern, name)
		return err == nil && matched
	})
}
