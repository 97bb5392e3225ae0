package shim

import (
	"cmp"
	"maps"
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
		if to := move(model.Prices); to != model.Prices {
			model.PricesName = cmp.Or(model.PricesName, model.Prices)
			model.Prices = to
		}
		s.Model = &model
	}
	return s
}

// found is the spec with the paths of the folder that it was read from. If that belongs to a copy of the state folder that the spec
// was written for, or the state folder was moved, paths into the old one are changed to the new one: the original may still be in
// use, and a copy must touch neither its files nor its processes. A folder that is reached through a link is not a copy.
func (s Spec) found(folder string) Spec {
	from, to := filepath.Dir(s.Job.Out), filepath.Clean(folder)
	if from == to || sameFile(from, to) {
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
