package registry

import (
	"context"
	"encoding/json"
	"strings"
)

// askNpm reads the list for people rather than its JSON form, which leaves out every registry with a password in it. A
// setting that another overrides is a comment there.
func askNpm(ctx context.Context, t tool) (finding, error) {
	out, err := t.run(ctx, "npm", "config", "list", "--long")
	if err != nil {
		return finding{}, err
	}
	settings := map[string]any{}
	for line := range strings.Lines(out) {
		key, value, ok := strings.Cut(strings.TrimSpace(line), " = ")
		var text string
		if ok && json.Unmarshal([]byte(value), &text) == nil {
			settings[key] = text
		}
	}
	return registries(settings)
}

func askPnpm(ctx context.Context, t tool) (finding, error) {
	out, err := t.run(ctx, "pnpm", "config", "list", "--json")
	if err != nil {
		return finding{}, err
	}
	var settings map[string]any
	if err := json.Unmarshal([]byte(out), &settings); err != nil {
		return finding{}, errAnswer
	}
	return registries(settings)
}

// registries are the registry of all packages, which must be there, and those of scopes.
func registries(settings map[string]any) (finding, error) {
	var found finding
	if text, ok := settings["registry"].(string); !ok || text == "" {
		return finding{}, errAnswer
	}
	for key, value := range settings {
		text, ok := value.(string)
		if ok && (key == "registry" || strings.HasPrefix(key, "@") && strings.HasSuffix(key, ":registry")) {
			found.url("the setting "+key, text)
		}
	}
	return found, nil
}
