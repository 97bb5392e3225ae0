package playbook

import (
	"encoding/json"
	"path"
	"slices"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/regex"
)

// Commands prepare, build and test a project; empty if none was found.
type Commands struct {
	Setup string
	Build string
	Test  string
	// Caches are the folders that the setup fills and that serve again while what they were made from is unchanged. There
	// are none if a part of the setup must be repeated for every delivery.
	Caches []core.Cache

	fresh bool // the setup must be repeated
}

func (c Commands) empty() bool { return c.Setup == "" && c.Build == "" && c.Test == "" }

// variable is the command that ${setup}, ${build} or ${test} stands for. The value must be nothing but the variable: in a
// longer command ${…} belongs to the shell.
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

// Detect finds a project's commands from its files, given as paths relative to its root. It combines several stacks in the
// root. If the root has none, it looks at the folders below it, and last at a Makefile with a test target. A file that
// cannot be read counts as empty. A setup command needs its tool to be present.
func Detect(files []string, read func(path string) ([]byte, error), present func(tool string) bool) Commands {
	p := project{files: map[string]bool{}, read: read, present: present}
	var folders []string
	for _, file := range files {
		p.files[file] = true
		if folder, name, below := strings.Cut(file, "/"); below && !strings.Contains(name, "/") && !slices.Contains(folders, folder) {
			folders = append(folders, folder)
		}
	}
	found := p.stacks("")
	if found.empty() {
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

// and runs both commands, one after the other.
func (c Commands) and(other Commands) Commands {
	join := func(a, b string) string {
		if a == "" || b == "" {
			return a + b
		}
		return a + " && " + b
	}
	both := Commands{Setup: join(c.Setup, other.Setup), Build: join(c.Build, other.Build), Test: join(c.Test, other.Test)}
	if both.fresh = c.fresh || other.fresh; !both.fresh {
		both.Caches = slices.Concat(c.Caches, other.Caches)
	}
	return both
}

// plainFolder is a folder name that needs no quoting in a shell.
var plainFolder = regex.Of(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)

// within runs the commands in a folder.
func (c Commands) within(folder string) Commands {
	if !plainFolder().MatchString(folder) {
		return Commands{}
	}
	in := func(command string) string {
		if command == "" {
			return ""
		}
		return "(cd " + folder + " && " + command + ")"
	}
	inside := Commands{Setup: in(c.Setup), Build: in(c.Build), Test: in(c.Test), fresh: c.fresh}
	for _, cache := range c.Caches {
		moved := core.Cache{Path: path.Join(folder, cache.Path)}
		for _, key := range cache.Key {
			moved.Key = append(moved.Key, path.Join(folder, key))
		}
		inside.Caches = append(inside.Caches, moved)
	}
	return inside
}

type project struct {
	files   map[string]bool
	read    func(string) ([]byte, error)
	present func(tool string) bool
}

// setup is the command, if its tool is present; a wrapper in the repository always is.
func (p project) setup(tool, command string) string {
	if strings.HasPrefix(tool, "./") || p.present(tool) {
		return command
	}
	return ""
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
		found := Commands{Build: "go build ./...", Test: "go test ./..."}
		if has("go.sum") { // without one there is nothing to fetch
			found.Setup = p.setup("go", "go mod download")
		}
		c = c.and(found)
	}
	if has("Cargo.toml") {
		found := Commands{Build: "cargo build", Test: "cargo test"}
		if has("Cargo.lock") {
			found.Setup = p.setup("cargo", "cargo fetch --locked")
		}
		c = c.and(found)
	}
	switch {
	case has("pom.xml"):
		c = c.and(p.maven(folder))
	case has("build.gradle"), has("build.gradle.kts"):
		gradle := either(has("gradlew"), "./gradlew", "gradle")
		c = c.and(Commands{Setup: p.setup(gradle, gradle+" -q dependencies"), Build: gradle + " assemble", Test: gradle + " check"})
	}
	if has("package.json") {
		c = c.and(p.node(folder))
	}
	if has("pyproject.toml") || has("pytest.ini") || has("setup.py") || has("tox.ini") || has("requirements.txt") {
		c = c.and(p.python(folder))
	}
	return c
}

// maven has a setup only for a single module: modules that need each other cannot be resolved before they are built.
func (p project) maven(folder string) Commands {
	mvn := either(p.files[path.Join(folder, "mvnw")], "./mvnw", "mvn")
	c := Commands{Build: mvn + " -B -q -DskipTests package", Test: mvn + " -B -q verify"}
	if !strings.Contains(p.text(path.Join(folder, "pom.xml")), "<modules>") {
		c.Setup = p.setup(mvn, mvn+" -B -q dependency:go-offline")
	}
	return c
}

func either(condition bool, yes, no string) string {
	if condition {
		return yes
	}
	return no
}

// node reads package.json. The test that `npm init` writes does not count.
func (p project) node(folder string) Commands {
	var manifest struct {
		Scripts map[string]string `json:"scripts"`
	}
	if err := json.Unmarshal([]byte(p.text(path.Join(folder, "package.json"))), &manifest); err != nil {
		return Commands{}
	}
	has := func(name string) bool { return p.files[path.Join(folder, name)] }
	tool, setup, lock := "npm", "npm install", ""
	switch {
	case has("package-lock.json"):
		setup, lock = "npm ci", "package-lock.json"
	case has("npm-shrinkwrap.json"):
		setup, lock = "npm ci", "npm-shrinkwrap.json"
	case has("pnpm-lock.yaml"):
		tool, setup, lock = "pnpm", "pnpm install --frozen-lockfile", "pnpm-lock.yaml"
	case has("yarn.lock") && has(".yarnrc.yml"): // may keep its packages elsewhere than in node_modules
		tool, setup = "yarn", "yarn install --immutable"
	case has("yarn.lock"):
		tool, setup, lock = "yarn", "yarn install --frozen-lockfile", "yarn.lock"
	case has("bun.lock"), has("bun.lockb"):
		tool, setup = "bun", "bun install --frozen-lockfile"
	}
	c := Commands{Setup: p.setup(tool, setup), fresh: lock == ""}
	if lock != "" && c.Setup != "" {
		c.Caches = []core.Cache{{Key: []string{lock}, Path: "node_modules"}}
	}
	if manifest.Scripts["build"] != "" {
		c.Build = tool + " run build"
	}
	if test := manifest.Scripts["test"]; test != "" && !strings.Contains(test, "no test specified") {
		c.Test = tool + " run test"
	}
	return c
}

var makeTarget = regex.Of(`(?m)^(test|build)[ \t]*:([^=]|$)`)

func (p project) makefile() Commands {
	var c Commands
	for _, name := range []string{"GNUmakefile", "makefile", "Makefile"} {
		if !p.files[name] {
			continue
		}
		for _, match := range makeTarget().FindAllStringSubmatch(p.text(name), -1) {
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
