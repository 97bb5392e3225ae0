package registry

import (
	"strings"
	"testing"
)

func TestNpm(t *testing.T) {
	need(t, "npm")
	for name, c := range map[string]struct {
		file, variable string
		remark         string
		hosts          []string
		inside         map[string]string
	}{
		"a mirror": {"registry=https://mirror.example.com/npm/", "", "", []string{"mirror.example.com"}, map[string]string{".npmrc": "registry=https://mirror.example.com/npm/\n"}},
		"a password": {"registry=https://alice:sesame@mirror.example.com:8443/", "", noLogin + "mirror.example.com:8443", []string{"mirror.example.com:8443"},
			map[string]string{".npmrc": "registry=https://mirror.example.com:8443/\n"}},
		"a token": {"registry=https://mirror.example.com/\n//mirror.example.com/:_authToken=sesame", "", noLogin + "mirror.example.com", []string{"mirror.example.com"},
			map[string]string{".npmrc": "registry=https://mirror.example.com/\n"}},
		"a token for another": {"registry=https://mirror.example.com/\n//other.example.com/:_authToken=sesame", "", "", []string{"mirror.example.com"},
			map[string]string{".npmrc": "registry=https://mirror.example.com/\n"}},
		"scopes": {"registry=https://mirror.example.com/\n@corp:registry=http://corp.example.com:4873/\n@team:registry=https://alice:sesame@team.example.com/",
			"", noLogin + "team.example.com", []string{"corp.example.com:4873", "mirror.example.com", "team.example.com"},
			map[string]string{".npmrc": "@corp:registry=http://corp.example.com:4873/\n@team:registry=https://team.example.com/\nregistry=https://mirror.example.com/\n"}},
		"a variable wins": {"registry=https://mirror.example.com/", "NPM_CONFIG_REGISTRY=http://alice:sesame@other.example.com/", noLogin + "other.example.com:80", []string{"other.example.com:80"},
			map[string]string{".npmrc": "registry=http://other.example.com/\n", "NPM_CONFIG_REGISTRY": "http://other.example.com/"}},
		"an unset variable in an address": {"registry=https://${NOWHERE}/\n@corp:registry=https://corp.example.com/", "",
			"the setting registry is not an address", []string{"corp.example.com"}, map[string]string{".npmrc": "@corp:registry=https://corp.example.com/\n"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			home, environ := person(t, c.variable)
			write(t, 0o600, c.file+"\n", home, ".npmrc")
			handsIn(t, expect(t, "npm", environ, c.remark, c.hosts...), c.inside)
		})
	}
}

func TestNpmInRepository(t *testing.T) {
	need(t, "npm")
	repository(t)
	home, environ := person(t)
	write(t, 0o600, "registry=https://mirror.example.com/\n", home, ".npmrc")
	expect(t, "npm", environ, "", "mirror.example.com")
}

// What npm is set to if nobody sets it.
func TestNpmDefault(t *testing.T) {
	need(t, "npm")
	_, environ := person(t)
	out, err := tool{environ}.run(t.Context(), "npm", "config", "get", "registry")
	if err != nil {
		t.Fatal(err)
	}
	host, err := hostOf(out)
	if err != nil || host == "" {
		t.Fatalf("%q, %v", out, err)
	}
	handsIn(t, expect(t, "npm", environ, "", host), nil)
}

// What pnpm 10 prints.
const pnpmList = `{
  "//mirror.example.com/:_authToken": "sesame",
  "@corp:registry": "http://corp.example.com:4873/",
  "ca": ["certificate"],
  "registry": "https://alice:sesame@mirror.example.com/npm/",
  "user-agent": "pnpm"
}`

func TestPnpm(t *testing.T) {
	script := func(list string) string {
		return "[ \"$*\" = 'config list --json' ] || exit 2\ncat <<'END'\n" + list + "\nEND\n"
	}
	environ := append(standIn(t, "pnpm", script(pnpmList)), "pnpm_config_registry=https://alice:sesame@mirror.example.com/npm/", "npm_config_registry=sesame")
	got := expect(t, "pnpm", environ, noLogin+"mirror.example.com", "corp.example.com:4873", "mirror.example.com")
	handsIn(t, got, map[string]string{
		"pnpm_config_registry": "https://mirror.example.com/npm/",
		".npmrc":               "@corp:registry=http://corp.example.com:4873/\nregistry=https://mirror.example.com/npm/\n",
	})
	expect(t, "pnpm", standIn(t, "pnpm", script(strings.ReplaceAll(pnpmList, `"registry"`, `"other"`))), "its answer cannot be read")
}
