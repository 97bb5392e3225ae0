package playbook

import (
	"errors"
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

func detected(files map[string]string, absent ...string) Commands {
	read := func(path string) ([]byte, error) {
		if text, ok := files[path]; ok {
			return []byte(text), nil
		}
		return nil, errors.New("no such file")
	}
	return Detect(slices.Sorted(maps.Keys(files)), read, func(tool string) bool { return !slices.Contains(absent, tool) })
}

// TestDetectSetup holds a setup to what the files show, and its caches to what they are made from.
func TestDetectSetup(t *testing.T) {
	node := func(lock, path string) []core.Cache { return []core.Cache{{Key: []string{lock}, Path: path}} }
	tests := []struct {
		name        string
		files       map[string]string
		setup, test string
		caches      []core.Cache
	}{
		{"go", map[string]string{"go.mod": "", "go.sum": ""}, "go mod download", "go test ./...", nil},
		{"go without dependencies", map[string]string{"go.mod": ""}, "", "go test ./...", nil},
		{"cargo", map[string]string{"Cargo.toml": "", "Cargo.lock": ""}, "cargo fetch --locked", "cargo test", nil},
		{"maven of several modules", map[string]string{"pom.xml": "<project><modules>"}, "", "mvn -B -q verify", nil},
		{"npm", map[string]string{"package.json": "{}", "package-lock.json": ""}, "npm ci", "", node("package-lock.json", "node_modules")},
		{"pnpm", map[string]string{"package.json": "{}", "pnpm-lock.yaml": ""}, "pnpm install --frozen-lockfile", "", node("pnpm-lock.yaml", "node_modules")},
		{"yarn", map[string]string{"package.json": "{}", "yarn.lock": ""}, "yarn install --frozen-lockfile", "", node("yarn.lock", "node_modules")},
		{"yarn of today", map[string]string{"package.json": "{}", "yarn.lock": "", ".yarnrc.yml": ""}, "yarn install --immutable", "", nil},
		{"npm without lock", map[string]string{"package.json": "{}"}, "npm install", "", nil},
		{"in a folder", map[string]string{"web/package.json": "{}", "web/package-lock.json": ""}, "(cd web && npm ci)", "", node("web/package-lock.json", "web/node_modules")},
		{"requirements", map[string]string{"requirements.txt": "requests\npytest\n"},
			"python3 -m venv .venv && .venv/bin/python -m pip install -q -r requirements.txt", ".venv/bin/python -m pytest",
			[]core.Cache{{Key: []string{"requirements.txt"}, Path: ".venv"}}},
		{"requirements without the runner", map[string]string{"requirements.txt": "requests\n", "pytest.ini": ""},
			"python3 -m venv .venv && .venv/bin/python -m pip install -q -r requirements.txt pytest", ".venv/bin/python -m pytest",
			[]core.Cache{{Key: []string{"requirements.txt"}, Path: ".venv"}}},
		{"pyproject", map[string]string{"pyproject.toml": "[project]\ndependencies = ['requests']\n[project.optional-dependencies]\ntest = ['pytest']\n"},
			"python3 -m venv .venv && .venv/bin/python -m pip install -q '.[test]' pytest", ".venv/bin/python -m pytest", nil},
		{"uv", map[string]string{"pyproject.toml": "pytest", "uv.lock": ""}, "uv sync --frozen", "uv run python -m pytest",
			[]core.Cache{{Key: []string{"uv.lock", "pyproject.toml"}, Path: ".venv"}}},
		{"a fresh part leaves nothing to keep", map[string]string{"package.json": "{}", "package-lock.json": "", "pyproject.toml": "[project]\ndependencies = []\n"},
			"npm ci && python3 -m venv .venv && .venv/bin/python -m pip install -q .", "", nil},
		{"both kept", map[string]string{"package.json": "{}", "package-lock.json": "", "go.mod": "", "go.sum": ""}, "go mod download && npm ci", "go test ./...",
			node("package-lock.json", "node_modules")},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := detected(test.files)
			if got.Setup != test.setup || got.Test != test.test {
				t.Errorf("setup %q, test %q", got.Setup, got.Test)
			}
			if diff := cmp.Diff(test.caches, got.Caches); diff != "" {
				t.Error(diff)
			}
		})
	}
	if got := detected(map[string]string{"package.json": `{"scripts": {"test": "x"}}`, "package-lock.json": ""}, "npm"); got.Setup != "" || got.Caches != nil || got.Test == "" {
		t.Errorf("npm is not there, and %+v was found", got)
	}
}

// TestDetectedCachesAreUsed: a playbook that takes the detected setup takes what it fills, unless it says otherwise.
func TestDetectedCachesAreUsed(t *testing.T) {
	o := options()
	o.Commands.Caches = []core.Cache{{Key: []string{"package-lock.json"}, Path: "node_modules"}}
	phases := "phases: [{id: a, role: developer, done: {changed: x}}]\n"
	for text, want := range map[string]int{"setup: ${setup}\n": 1, "setup: npm ci\n": 0, "": 0, "setup: ${setup}\ncache: [{key: [x], path: y}, {key: [x], path: z}]\n": 2} {
		p, _, err := Parse("p.yaml", []byte("name: p\nkind: phases\n"+text+phases), o)
		if err != nil || len(p.Caches) != want {
			t.Errorf("%q: %v, %v", text, p.Caches, err)
		}
	}
}
