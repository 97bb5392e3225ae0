package playbook

import (
	"encoding/json"
	"path"
	"regexp"
	"slices"
	"strings"
)

// Commands are how a project is prepared, built and tested; empty where nothing was found.
type Commands struct {
	Setup string
	Build string
	Test  string
}

// variable is the command that ${setup}, ${build} or ${test} stands for. Only a value that is nothing but the variable is
// one: within a longer command ${…} belongs to the shell.
func (c Commands) variable(text string) (string, bool) {
	switch strings.TrimSpace(text) {
	case "${setup}":
		return c.Setup, true
	case "${build}":
		return c.Build, true
	case "${test}":
		return c.Test, true
	}
	return "", false
}

// Detect finds a project's commands from its files, given as paths relative to its root. Several stacks in the root are
// combined. Where the root has none, the folders below it are looked at, and last a Makefile with a test target. A file
// that cannot be read counts as empty.
func Detect(files []string, read func(path string) ([]byte, error)) Commands {
	p := project{files: map[string]bool{}, read: read}
	var folders []string
	for _, file := range files {
		p.files[file] = true
		if folder, name, below := strings.Cut(file, "/"); below && !strings.Contains(name, "/") && !slices.Contains(folders, folder) {
			folders = append(folders, folder)
		}
	}
	found := p.stacks("")
	if found == (Commands{}) {
		slices.Sort(folders)
		for _, folder := range folders {
			found = found.and(p.stacks(folder).within(folder))
		}
	}
	if found.Test == "" {
		fallback := p.makefile()
		found.Test = fallback.Test
		if found.Build == "" {
			found.Build = fallback.Build
		}
	}
	return found
}

// and is both commands, one after the other.
func (c Commands) and(other Commands) Commands {
	join := func(a, b string) string {
		if a == "" || b == "" {
			return a + b
		}
		return a + " && " + b
	}
	return Commands{join(c.Setup, other.Setup), join(c.Build, other.Build), join(c.Test, other.Test)}
}

// plainFolder is a folder name that needs no quoting in a shell.
var plainFolder = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)

// within runs the commands in a folder.
func (c Commands) within(folder string) Commands {
	if !plainFolder.MatchString(folder) {
		return Commands{}
	}
	in := func(command string) string {
		if command == "" {
			return ""
		}
		return "(cd " + folder + " && " + command + ")"
	}
	return Commands{in(c.Setup), in(c.Build), in(c.Test)}
}

type project struct {
	files map[string]bool
	read  func(string) ([]byte, error)
}

func (p project) text(file string) string {
	if !p.files[file] {
		return ""
	}
	data, err := p.read(file)
	if err != nil {
		return ""
	}
	return string(data)
}

func (p project) stacks(folder string) Commands {
	has := func(name string) bool { return p.files[path.Join(folder, name)] }
	var c Commands
	if has("go.mod") {
		c = c.and(Commands{Build: "go build ./...", Test: "go test ./..."})
	}
	if has("Cargo.toml") {
		c = c.and(Commands{Build: "cargo build", Test: "cargo test"})
	}
	switch {
	case has("pom.xml"):
		mvn := either(has("mvnw"), "./mvnw", "mvn")
		c = c.and(Commands{Build: mvn + " -B -q -DskipTests package", Test: mvn + " -B -q verify"})
	case has("build.gradle"), has("build.gradle.kts"):
		gradle := either(has("gradlew"), "./gradlew", "gradle")
		c = c.and(Commands{Build: gradle + " assemble", Test: gradle + " check"})
	}
	if has("package.json") {
		c = c.and(p.node(folder))
	}
	if has("pyproject.toml") || has("pytest.ini") || has("setup.py") || has("tox.ini") {
		c = c.and(p.python(folder))
	}
	return c
}

func either(condition bool, yes, no string) string {
	if condition {
		return yes
	}
	return no
}

// node reads package.json. What `npm init` writes as a test is none.
func (p project) node(folder string) Commands {
	var manifest struct {
		Scripts map[string]string `json:"scripts"`
	}
	if err := json.Unmarshal([]byte(p.text(path.Join(folder, "package.json"))), &manifest); err != nil {
		return Commands{}
	}
	has := func(name string) bool { return p.files[path.Join(folder, name)] }
	tool, setup := "npm", "npm install"
	switch {
	case has("package-lock.json"), has("npm-shrinkwrap.json"):
		setup = "npm ci"
	case has("pnpm-lock.yaml"):
		tool, setup = "pnpm", "pnpm install --frozen-lockfile"
	case has("yarn.lock"):
		tool, setup = "yarn", either(has(".yarnrc.yml"), "yarn install --immutable", "yarn install --frozen-lockfile")
	case has("bun.lock"), has("bun.lockb"):
		tool, setup = "bun", "bun install --frozen-lockfile"
	}
	c := Commands{Setup: setup}
	if manifest.Scripts["build"] != "" {
		c.Build = tool + " run build"
	}
	if test := manifest.Scripts["test"]; test != "" && !strings.Contains(test, "no test specified") {
		c.Test = tool + " run test"
	}
	return c
}

// python tests with pytest where the project shows that it uses it.
func (p project) python(folder string) Commands {
	has := func(name string) bool { return p.files[path.Join(folder, name)] }
	config := p.text(path.Join(folder, "pyproject.toml")) + p.text(path.Join(folder, "tox.ini")) + p.text(path.Join(folder, "setup.cfg"))
	prefix, c := "python3 -m ", Commands{}
	switch {
	case has("uv.lock"):
		prefix, c.Setup = "uv run ", "uv sync --frozen"
	case has("poetry.lock"):
		prefix, c.Setup = "poetry run ", "poetry install"
	}
	if strings.Contains(config, "pytest") || has("pytest.ini") || has("conftest.py") || has("tests/conftest.py") {
		c.Test = prefix + "pytest"
	}
	return c
}

var makeTarget = regexp.MustCompile(`(?m)^(test|build)[ \t]*:([^=]|$)`)

func (p project) makefile() Commands {
	var c Commands
	for _, name := range []string{"GNUmakefile", "makefile", "Makefile"} {
		if !p.files[name] {
			continue
		}
		for _, match := range makeTarget.FindAllStringSubmatch(p.text(name), -1) {
			if match[1] == "test" {
				c.Test = "make test"
			} else {
				c.Build = "make build"
			}
		}
		return c
	}
	return c
}
