package playbook

import (
	"path"
	"slices"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/regex"
)

// venvPython is the interpreter of a virtual environment inside the checkout. Commands call it by its path, because the
// scripts beside it contain the path of the folder they were made in, and every check runs in a copy.
const venvPython = ".venv/bin/python"

// python tests with pytest if the project uses it, in a virtual environment if the project says what belongs into one.
func (p project) python(folder string) Commands {
	has := func(name string) bool { return p.files[path.Join(folder, name)] }
	text := func(name string) string { return p.text(path.Join(folder, name)) }
	config := text("pyproject.toml") + text("tox.ini") + text("setup.cfg")
	tests := strings.Contains(config+text("requirements.txt")+text("requirements-dev.txt"), "pytest") ||
		has("pytest.ini") || has("conftest.py") || has("tests/conftest.py")
	runner, c := "python3 -m ", Commands{}
	switch {
	case has("uv.lock"):
		runner, c.Setup = "uv run python -m ", p.setup("uv", "uv sync --frozen")
		c.Caches = []core.Cache{{Key: []string{"uv.lock", "pyproject.toml"}, Path: ".venv"}}
	case has("poetry.lock"):
		runner, c.Setup = "poetry run python -m ", p.setup("poetry", "POETRY_VIRTUALENVS_IN_PROJECT=true poetry install")
		c.fresh = true
	default:
		if c = p.venv(folder, tests); c.Setup != "" {
			runner = venvPython + " -m "
		}
	}
	if tests {
		c.Test = runner + "pytest"
	}
	return c
}

// requirementFiles are the files that pip installs from.
func requirementFiles() []string {
	return []string{"requirements.txt", "requirements-dev.txt", "requirements-test.txt", "dev-requirements.txt", "test-requirements.txt"}
}

var (
	declaresDependencies = regex.Of(`(?m)^\s*(dependencies|dynamic)\s*=|^\[project\.optional-dependencies\]`)
	testExtra            = regex.Of(`(?ms)^\[project\.optional-dependencies\]\s.*?^(test|tests|testing|dev)\s*=`)
)

// venv makes a virtual environment with the project's dependencies. One that contains the project itself is made anew for
// each delivery, because a cached one would contain the code of an earlier delivery.
func (p project) venv(folder string, tests bool) Commands {
	var arguments, keys []string
	wanted := ""
	for _, name := range requirementFiles() {
		if p.files[path.Join(folder, name)] {
			arguments, keys = append(arguments, "-r "+name), append(keys, name)
			wanted += p.text(path.Join(folder, name))
		}
	}
	pyproject, fresh := p.text(path.Join(folder, "pyproject.toml")), false
	if len(arguments) == 0 && declaresDependencies().MatchString(pyproject) {
		target := "."
		if extra := testExtra().FindStringSubmatch(pyproject); extra != nil {
			target = "'.[" + extra[1] + "]'"
		}
		arguments, fresh = append(arguments, target), true
	}
	if len(arguments) == 0 {
		return Commands{}
	}
	if tests && (fresh || !strings.Contains(wanted, "pytest")) {
		arguments = append(arguments, "pytest")
	}
	c := Commands{Setup: p.setup("python3", "python3 -m venv .venv && "+venvPython+" -m pip install -q "+strings.Join(arguments, " ")), fresh: fresh}
	if !fresh && c.Setup != "" {
		c.Caches = []core.Cache{{Key: slices.Clone(keys), Path: ".venv"}}
	}
	return c
}
