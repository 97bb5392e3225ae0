package registry

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/program"
)

// askGem reads the sources that RubyGems is set to and the mirrors that Bundler uses in place of a project's sources.
func askGem(ctx context.Context, t tool) (finding, error) {
	out, err := t.run(ctx, "gem", "sources", "--list")
	if err != nil {
		return finding{}, err
	}
	var found finding
	var sources []string
	for line := range strings.Lines(out) {
		if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "*") {
			continue
		}
		if address := found.url("a source of gem", line); address != "" {
			sources = append(sources, "- "+strconv.Quote(address))
		}
	}
	if len(sources) > 0 {
		found.file(".gemrc", append([]string{"---", ":sources:"}, sources...)...)
	}
	switch out, err = t.run(ctx, "bundle", "config", "list", "--parseable"); {
	case errors.Is(err, program.ErrMissing) || errors.Is(err, program.ErrNotExecutable):
	case err != nil:
		found.remark("bundle did not say whether it has mirrors (%v): %s", err, nameThem)
	default:
		found.bundlerMirrors(out)
	}
	return found, nil
}

// bundlerMirrors adds mirrors, from lines such as mirror.https://gems.example.com/=https://mirror.example.com. Bundler has
// them under names that no shell takes for a variable's, so they are handed in as its file.
func (f *finding) bundlerMirrors(out string) {
	var lines []string
	for line := range strings.Lines(out) {
		key, address, ok := strings.Cut(strings.TrimSpace(line), "=")
		of, mirrored := strings.CutPrefix(key, "mirror.")
		if !ok || !mirrored || strings.HasSuffix(of, ".fallback_timeout") {
			continue
		}
		if strings.Contains(of, "://") {
			of, _ = bare(of)
		}
		if address = f.url("a mirror of bundle", address); address != "" && of != "" {
			name := strings.ToUpper(strings.NewReplacer(".", "__", "-", "___").Replace("mirror." + of))
			lines = append(lines, "BUNDLE_"+name+": "+strconv.Quote(address))
		}
	}
	if len(lines) > 0 {
		f.file(".bundle/config", append([]string{"---"}, lines...)...)
	}
}
