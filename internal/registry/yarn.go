package registry

import (
	"context"
	"encoding/json"
	"maps"
	"net/url"
	"slices"
	"strconv"
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
	own := map[string]string{"": found.url("npmRegistryServer", main)}
	err = found.yarnScopes(scopes, own)
	found.handOn(t, "YARN_NPM_REGISTRY_SERVER")
	found.file(".yarnrc.yml", yarnLines(own)...)
	return found, err
}

// yarnLines are the registries of scopes, and without a scope that of all packages, as
// a file of yarn has them. Yarn connects without TLS only if it is told to.
func yarnLines(own map[string]string) []string {
	var lines, scopes, plain []string
	for _, scope := range slices.Sorted(maps.Keys(own)) {
		address := own[scope]
		if address == "" {
			continue
		}
		if scope == "" {
			lines = append(lines, "npmRegistryServer: "+strconv.Quote(address))
		} else {
			scopes = append(scopes, "  "+strconv.Quote(scope)+":", "    npmRegistryServer: "+strconv.Quote(address))
		}
		if parsed, err := url.Parse(address); err == nil && parsed.Scheme == "http" {
			plain = append(plain, "  - "+strconv.Quote(parsed.Hostname()))
		}
	}
	if len(scopes) > 0 {
		lines = append(append(lines, "npmScopes:"), scopes...)
	}
	if len(plain) > 0 {
		slices.Sort(plain)
		lines = append(append(lines, "unsafeHttpWhitelist:"), slices.Compact(plain)...)
	}
	return lines
}

// yarnScopes adds the registries of scopes; without any, yarn prints undefined.
func (f *finding) yarnScopes(out string, own map[string]string) error {
	if out = strings.TrimSpace(out); out == "undefined" || out == "" {
		return nil
	}
	var scopes map[string]struct {
		Server string `json:"npmRegistryServer"`
		Token  string `json:"npmAuthToken"` // hidden
		Ident  string `json:"npmAuthIdent"` // hidden
	}
	if err := json.Unmarshal([]byte(out), &scopes); err != nil {
		return errAnswer
	}
	for name, scope := range scopes {
		if scope.Server == "" {
			continue
		}
		own[name] = f.url("the registry of @"+name, scope.Server)
		if host, err := hostOf(scope.Server); err == nil && scope.Token+scope.Ident != "" {
			f.login(host)
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
	found, err := registries(settings, nil, ".yarnrc", "%q %q")
	found.handOn(t, "npm_config_registry", "yarn_registry")
	return found, err
}
