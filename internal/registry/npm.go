package registry

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
)

// npmFile is where npm, pnpm and the classic yarn look in a home folder. A scope's registry could not be set by a variable:
// its name has characters that many shells drop.
const npmFile = ".npmrc"

// askNpm reads the list for people rather than its JSON form, which leaves out every registry with a password in it. A
// setting that another overrides is a comment there, and so is the place that the following settings are from.
func askNpm(ctx context.Context, t tool) (finding, error) {
	out, err := t.run(ctx, "npm", "config", "list", "--long")
	if err != nil {
		return finding{}, err
	}
	settings, defaults := map[string]any{}, map[string]any{}
	section := ""
	for line := range strings.Lines(out) {
		if place, ok := strings.CutPrefix(line, `; "`); ok {
			section, _, _ = strings.Cut(place, `"`)
		}
		key, value, ok := strings.Cut(strings.TrimSpace(line), " = ")
		var text string
		if ok && json.Unmarshal([]byte(value), &text) == nil {
			settings[key] = text
			if section == "default" {
				defaults[key] = text
			}
		} else if ok && strings.HasPrefix(key, "//") {
			settings[key] = value // hidden
		}
	}
	found, err := registries(settings, defaults, npmFile, "%s=%s")
	found.handOn(t, "npm_config_registry")
	return found, err
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
	found, err := registries(settings, nil, npmFile, "%s=%s")
	found.handOn(t, "npm_config_registry", "pnpm_config_registry")
	return found, err
}

// registries are the registry of all packages, which must be there, and those of scopes. What of them is not a tool's default
// is handed in as a file with a line for each, of its name and its address. If the default is not known, it is handed in, too: a
// file in the home folder overrides nothing else.
func registries(settings, defaults map[string]any, file, line string) (found finding, err error) {
	if text, ok := settings["registry"].(string); !ok || text == "" {
		return finding{}, errAnswer
	}
	own := map[string]string{}
	for key, value := range settings {
		text, ok := value.(string)
		scoped := strings.HasPrefix(key, "@") && strings.HasSuffix(key, ":registry")
		if !ok || key != "registry" && !scoped {
			continue
		}
		address := found.url("the setting "+key, text)
		if address != "" && defaults[key] != value {
			own[key] = address
		}
	}
	found.npmLogins(settings, own)
	var lines []string
	for _, key := range slices.Sorted(maps.Keys(own)) {
		lines = append(lines, fmt.Sprintf(line, key, own[key]))
	}
	found.file(file, lines...)
	return found, nil
}

// npmLogins notes the registries that the settings have a login for, such as //host/:_authToken.
func (f *finding) npmLogins(settings map[string]any, own map[string]string) {
	for key := range settings {
		at, _, _ := strings.Cut(strings.TrimPrefix(key, "//"), "/")
		if !strings.HasPrefix(key, "//") {
			continue
		}
		for _, address := range own {
			if parsed, err := url.Parse(address); err == nil && parsed.Host == at {
				if host, err := hostOf(address); err == nil {
					f.login(host)
				}
			}
		}
	}
}
