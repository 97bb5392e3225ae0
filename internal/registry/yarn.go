package registry

import (
	"context"
	"encoding/json"
	"maps"
	"strings"
)

// askYarn asks the classic program (1.x) and the later one, which have nothing in common but their name.
func askYarn(ctx context.Context, t tool) (finding, error) {
	version, err := t.run(ctx, "yarn", "--version")
	if err != nil {
		return finding{}, err
	}
	if strings.HasPrefix(version, "1.") {
		return askClassicYarn(ctx, t)
	}
	server, err := t.run(ctx, "yarn", "config", "get", "npmRegistryServer", "--json")
	if err != nil {
		return finding{}, err
	}
	scopes, err := t.run(ctx, "yarn", "config", "get", "npmScopes", "--json")
	if err != nil {
		return finding{}, err
	}
	var main string
	if err := json.Unmarshal([]byte(server), &main); err != nil || main == "" {
		return finding{}, errAnswer
	}
	var found finding
	found.url("npmRegistryServer", main)
	return found, found.yarnScopes(scopes)
}

// yarnScopes adds the registries of scopes; without any, yarn prints undefined.
func (f *finding) yarnScopes(out string) error {
	if out = strings.TrimSpace(out); out == "undefined" || out == "" {
		return nil
	}
	var scopes map[string]struct {
		Server string `json:"npmRegistryServer"`
	}
	if err := json.Unmarshal([]byte(out), &scopes); err != nil {
		return errAnswer
	}
	for name, scope := range scopes {
		if scope.Server != "" {
			f.url("the registry of @"+name, scope.Server)
		}
	}
	return nil
}

// askClassicYarn reads yarn's own settings and those that it takes over from npm's files, which win.
func askClassicYarn(ctx context.Context, t tool) (finding, error) {
	out, err := t.run(ctx, "yarn", "config", "list", "--json")
	if err != nil {
		return finding{}, err
	}
	settings := map[string]any{}
	for line := range strings.Lines(out) {
		var part struct {
			Type string          `json:"type"`
			Data json.RawMessage `json:"data"`
		}
		var data map[string]any
		if json.Unmarshal([]byte(line), &part) == nil && part.Type == "inspect" && json.Unmarshal(part.Data, &data) == nil {
			maps.Copy(settings, data)
		}
	}
	return registries(settings)
}
