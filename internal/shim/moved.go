package shim

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Moved is the spec for a machine on which everything lies elsewhere: move maps each path that the spec names, and leaves
// others, and what is no path, as they are.
func (s Spec) Moved(move func(path string) string) Spec {
	all := func(list []string) []string {
		out := slices.Clone(list)
		for i, path := range out {
			out[i] = move(path)
		}
		return out
	}
	values := func(m map[string]string) map[string]string {
		out := maps.Clone(m)
		for name, value := range out {
			out[name] = move(value)
		}
		return out
	}
	for _, path := range []*string{
		&s.Job.Dir, &s.Job.Prompt, &s.Job.In, &s.Job.Out, &s.Job.Home, &s.Job.Role.SystemPrompt,
		&s.Workspace, &s.Tools, &s.Resources.Shared,
	} {
		*path = move(*path)
	}
	s.Job.Options, s.Env = values(s.Job.Options), values(s.Env)
	s.ReadOnly, s.Writable, s.Masked, s.Private = all(s.ReadOnly), all(s.Writable), all(s.Masked), all(s.Private)
	if s.Model != nil {
		model := *s.Model
		model.Prices = move(model.Prices)
		s.Model = &model
	}
	return s
}

// found is the spec as it holds in the folder that it was found in. If the state folder is a copy of the one that the spec was
// written for, or was moved, paths in there lead to what was copied or moved along: the original may be at work, and its files and
// processes are not the copy's. One folder that has two names, through a link, is no copy.
func (s Spec) found(folder string) Spec {
	from, to := filepath.Dir(s.Job.Out), filepath.Clean(folder)
	if from == to || sameFolder(from, to) {
		return s
	}
	const below = 3 // attempts/RUN/ATTEMPT
	for range below {
		if filepath.Base(from) != filepath.Base(to) {
			return s
		}
		from, to = filepath.Dir(from), filepath.Dir(to)
	}
	s.Copied = true
	return s.Moved(func(path string) string {
		if rest, below := strings.CutPrefix(path, from); below && (rest == "" || rest[0] == filepath.Separator) {
			return to + rest
		}
		return path
	})
}

func sameFolder(a, b string) bool {
	one, err := os.Stat(a)
	if err != nil {
		return false
	}
	other, err := os.Stat(b)
	return err == nil && os.SameFile(one, other)
}
