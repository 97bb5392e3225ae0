package playbook

import (
	"errors"
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestDetect(t *testing.T) {
	tests := []struct {
		name  string
		files map[string]string
		want  Commands
	}{
		{"nothing", map[string]string{"README.md": ""}, Commands{}},
		{"go", map[string]string{"go.mod": ""}, Commands{Build: "go build ./...", Test: "go test ./..."}},
		{"npm with lock", map[string]string{"package.json": `{"scripts":{"test":"vitest","build":"tsc"}}`, "package-lock.json": ""},
			Commands{Setup: "npm ci", Build: "npm run build", Test: "npm run test"}},
		{"npm without lock", map[string]string{"package.json": `{"scripts":{"test":"vitest"}}`}, Commands{Setup: "npm install", Test: "npm run test"}},
		{"npm init", map[string]string{"package.json": `{"scripts":{"test":"echo \"Error: no test specified\" && exit 1"}}`}, Commands{Setup: "npm install"}},
		{"package.json is garbage", map[string]string{"package.json": `{`}, Commands{}},
		{"pnpm", map[string]string{"package.json": `{"scripts":{"test":"x"}}`, "pnpm-lock.yaml": ""}, Commands{Setup: "pnpm install --frozen-lockfile", Test: "pnpm run test"}},
		{"yarn", map[string]string{"package.json": `{"scripts":{"test":"x"}}`, "yarn.lock": ""}, Commands{Setup: "yarn install --frozen-lockfile", Test: "yarn run test"}},
		{"maven wrapper", map[string]string{"pom.xml": "", "mvnw": ""}, Commands{Setup: "./mvnw -B -q dependency:go-offline", Build: "./mvnw -B -q -DskipTests package", Test: "./mvnw -B -q verify"}},
		{"maven", map[string]string{"pom.xml": ""}, Commands{Setup: "mvn -B -q dependency:go-offline", Build: "mvn -B -q -DskipTests package", Test: "mvn -B -q verify"}},
		{"gradle wrapper", map[string]string{"build.gradle.kts": "", "gradlew": ""}, Commands{Setup: "./gradlew -q dependencies", Build: "./gradlew assemble", Test: "./gradlew check"}},
		{"cargo", map[string]string{"Cargo.toml": ""}, Commands{Build: "cargo build", Test: "cargo test"}},
		{"pytest", map[string]string{"pyproject.toml": "[tool.pytest.ini_options]"}, Commands{Test: "python3 -m pytest"}},
		{"python without tests", map[string]string{"pyproject.toml": "[project]"}, Commands{}},
		{"uv", map[string]string{"pyproject.toml": "dev = ['pytest']", "uv.lock": ""}, Commands{Setup: "uv sync --frozen", Test: "uv run python -m pytest"}},
		{"makefile", map[string]string{"Makefile": "all: build\nbuild: x\n\tcc\ntest : build\n\t./run\ntest := 3\n"}, Commands{Build: "make build", Test: "make test"}},
		{"makefile without test", map[string]string{"Makefile": "testing: x\ntest := 1\n"}, Commands{}},
		{"makefile after a stack", map[string]string{"go.mod": "", "Makefile": "test:\n"}, Commands{Build: "go build ./...", Test: "go test ./..."}},
		{"two stacks", map[string]string{"go.mod": "", "package.json": `{"scripts":{"test":"x"}}`},
			Commands{Setup: "npm install", Build: "go build ./...", Test: "go test ./... && npm run test"}},
		{"folders", map[string]string{"backend/pom.xml": "", "frontend/package.json": `{"scripts":{"test":"x"}}`, "docs/deep/go.mod": ""},
			Commands{Setup: "(cd backend && mvn -B -q dependency:go-offline) && (cd frontend && npm install)", Build: "(cd backend && mvn -B -q -DskipTests package)", Test: "(cd backend && mvn -B -q verify) && (cd frontend && npm run test)"}},
		{"folder that needs quoting", map[string]string{"a b; rm/go.mod": ""}, Commands{}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			read := func(path string) ([]byte, error) {
				if text, ok := test.files[path]; ok {
					return []byte(text), nil
				}
				return nil, errors.New("asked for a file that is not there: " + path)
			}
			got := Detect(slices.Sorted(maps.Keys(test.files)), read, func(string) bool { return true })
			if diff := cmp.Diff(test.want, got, cmpopts.IgnoreUnexported(Commands{}), cmpopts.IgnoreFields(Commands{}, "Caches")); diff != "" {
				t.Error(diff)
			}
		})
	}
}
