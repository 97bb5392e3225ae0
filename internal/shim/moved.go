package shim

import (
	"maps"
	"slices"
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
