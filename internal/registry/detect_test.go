package registry

import (
	"slices"
	"strings"
	"testing"
)

func TestDetect(t *testing.T) {
	for files, want := range map[string]string{
		"":                                         "",
		"README.md Makefile":                       "",
		"go.mod main.go":                           "go",
		"package.json":                             "npm",
		"package.json package-lock.json":           "npm",
		"package-lock.json":                        "npm",
		"package.json npm-shrinkwrap.json":         "npm",
		"package.json yarn.lock":                   "yarn",
		"package.json pnpm-lock.yaml":              "pnpm",
		"package.json package-lock.json yarn.lock": "npm yarn",
		"requirements.txt":                         "pip",
		"requirements-dev.txt":                     "pip",
		"dev-requirements.txt":                     "pip",
		"pyproject.toml":                           "pip",
		"setup.py":                                 "pip",
		"Pipfile":                                  "pip",
		"poetry.lock":                              "pip",
		"uv.lock":                                  "pip",
		"Cargo.toml":                               "cargo",
		"Gemfile":                                  "gem",
		"my-requirements.md":                       "",
		"package.json go.mod Gemfile":              "gem go npm",
		"web/package.json api/go.mod":              "go npm",
		"web/package.json api/package.json":        "npm",
		"web/package.json web/yarn.lock api/package.json": "npm yarn",
		"go.mod web/package.json":                         "go",
		"a/b/go.mod":                                      "",
	} {
		got := Detect(strings.Fields(files))
		if !slices.Equal(got, strings.Fields(want)) {
			t.Errorf("%q: %q, want %q", files, got, want)
		}
		for _, preset := range got {
			if !slices.Contains(Known(), preset) {
				t.Errorf("%q is not known", preset)
			}
		}
	}
}

func TestEveryPresetCanBeDetected(t *testing.T) {
	for _, preset := range Known() {
		if len(presets()[preset].marks) == 0 {
			t.Errorf("nothing shows that a project uses %s", preset)
		}
	}
}
