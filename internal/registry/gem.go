package registry

import (
	"context"
	"strings"
)

// askGem reads the sources that RubyGems is set to.
func askGem(ctx context.Context, t tool) (finding, error) {
	out, err := t.run(ctx, "gem", "sources", "--list")
	if err != nil {
		return finding{}, err
	}
	var found finding
	for line := range strings.Lines(out) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "*") {
			found.url("a source of gem", line)
		}
	}
	return found, nil
}
