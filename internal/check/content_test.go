package check_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stellwerk-dev/stellwerk/internal/check"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

func TestArtifact(t *testing.T) {
	w := newWorld(t)
	s := w.subject(w.head(), w.blob("plan.md", "# Plan\n"), w.blob("blank.md", " \n\t\n"), w.blob("empty.md", ""))
	s.Delivery.Rejected = []string{"link.md: a symbolic link"}
	expect(t, w.evaluate(artifact("plan.md"), s), true, "7 bytes")
	expect(t, w.evaluate(artifact("blank.md"), s), false, "is empty")
	expect(t, w.evaluate(artifact("empty.md"), s), false, "is empty")
	expect(t, w.evaluate(artifact("link.md"), s), false, "link.md was not handed in", "plan.md (7 bytes)", "link.md: a symbolic link")
}

const reportSchema = `{
  "type": "object", "required": ["status", "tests"],
  "properties": {
    "status": {"enum": ["ok", "failed"]},
    "tests": {"type": "array", "items": {"type": "object", "required": ["name"], "properties": {"name": {"type": "string"}}}}
  }
}`

func TestArtifactSchema(t *testing.T) {
	w := newWorld(t)
	c := core.Check{Kind: core.CheckArtifact, Name: "r.json", Schema: json.RawMessage(reportSchema)}
	for name, tc := range map[string]struct {
		content string
		passed  bool
		words   []string
	}{
		"valid":       {`{"status":"ok","tests":[{"name":"a"}]}`, true, nil},
		"wrong type":  {`{"status":"ok","tests":[{"name":"a"},{"name":7}]}`, false, []string{"- /tests/1/name: is the number 7, and must be string"}},
		"wrong value": {`{"status":"maybe","tests":[{"name":"a"}]}`, false, []string{"- /status: ", "maybe"}},
		"missing":     {`{"status":"ok"}`, false, []string{"- the document: required", "tests"}},
		"all at once": {`{"status":"maybe","tests":[{"nam":"a"},{"name":7},[]]}`, false,
			[]string{"- /status: ", "- /tests/0: required: missing properties: [\"name\"]", "- /tests/1/name: is the number 7", "- /tests/2: is an array, and must be object"}},
		"not JSON":       {`status: ok`, false, []string{"not acceptable JSON"}},
		"duplicate keys": {`{"status":"failed","status":"ok","tests":[]}`, false, []string{"not acceptable JSON", "status"}},
		"folded keys":    {`{"status":"failed","STATUS":"ok","tests":[]}`, false, []string{"not acceptable JSON"}},
		"trailing":       {`{"status":"ok","tests":[]} {}`, false, []string{"not acceptable JSON"}},
		"too deep":       {strings.Repeat("[", 100) + strings.Repeat("]", 100), false, []string{"not acceptable JSON"}},
		"too large":      {`{"status":"ok","tests":[],"pad":"` + strings.Repeat("x", 8<<20) + `"}`, false, []string{"can be validated"}},
	} {
		t.Run(name, func(t *testing.T) {
			expect(t, w.evaluate(c, w.subject(w.head(), w.blob("r.json", tc.content))), tc.passed, tc.words...)
		})
	}
}

// Every kind of schema tells all that is wrong, each at its place; what cannot be
// taken apart is told as far as the library does.
func TestSchemaNamesEveryViolation(t *testing.T) {
	w := newWorld(t)
	for name, tc := range map[string]struct {
		schema, content string
		words           []string
	}{
		"definitions": {`{"$defs":{"n":{"type":"integer","minimum":1}},"properties":{"a":{"$ref":"#/$defs/n"},"b":{"$ref":"#/$defs/n","maximum":5}}}`,
			`{"a":0,"b":9}`, []string{"- /a: minimum", "- /b: maximum"}},
		"draft-07": {`{"$schema":"http://json-schema.org/draft-07/schema#","definitions":{"n":{"type":"integer"}},"items":{"$ref":"#/definitions/n","maximum":5}}`,
			`["x",9,true]`, []string{`- /0: is the string "x", and must be integer`, "- /2: is the boolean true"}},
		"names": {`{"required":["a"],"properties":{"a":{},"b/c":{"type":"null"}},"additionalProperties":false}`,
			`{"x":1,"b/c":2}`, []string{`missing properties: ["a"]`, `unexpected additional properties ["x"]`, "- /b~1c: is the number 2"}},
		"other names": {`{"additionalProperties":{"type":"string"}}`, `{"x":1,"y":"","z":2}`, []string{"- /x: ", "- /z: "}},
		"all of":      {`{"allOf":[{"required":["a"]},{"required":["b"]}]}`, `{}`, []string{`["a"]`, `["b"]`}},
		"one of":      {`{"properties":{"a":{"oneOf":[{"type":"null"},{"type":"string"}]},"b":{"type":"null"}}}`, `{"a":1,"b":1}`, []string{"- /a: oneOf", "- /b: "}},
		"tuples":      {`{"prefixItems":[{"type":"string"}],"items":{"type":"integer"}}`, `[1,"x"]`, []string{"- /0: ", "- /1: "}},
		"a tree": {`{"$ref":"#/$defs/t","$defs":{"t":{"required":["v"],"properties":{"kids":{"items":{"$ref":"#/$defs/t"}}}}}}`,
			`{"v":1,"kids":[{"v":1,"kids":[{}]},{}]}`, []string{"- /kids/0/kids/0: required", "- /kids/1: required"}},
		"only whole": {`{"properties":{"a":{"type":"null"}},"unevaluatedProperties":false}`, `{"a":null,"b":1}`, []string{"b"}},
		"itself":     {`{"properties":{"a":{"$ref":"#"}},"required":["v"]}`, `{"v":1,"a":{}}`, []string{`missing properties: ["v"]`}},
	} {
		t.Run(name, func(t *testing.T) {
			c := core.Check{Kind: core.CheckArtifact, Name: "r.json", Schema: json.RawMessage(tc.schema)}
			expect(t, w.evaluate(c, w.subject(w.head(), w.blob("r.json", tc.content))), false, tc.words...)
		})
	}
}

func TestArtifactThatIsAReviewMustBeOne(t *testing.T) {
	w := newWorld(t)
	for content, words := range map[string][]string{
		`{"status":"maybe"}`:                             {"maybe", "APPROVED", "CHANGES_REQUESTED"},
		`{"status":"changes_requested"}`:                 {"without a finding"},
		`{"status":"changes_requested","findings":[{}]}`: {"findings[0]", "issue"},
		`{"status":"changes_requested","findings":[{},{"issue":"x","line":-1},{"issue":"y"},{}]}`: {"findings[0]", "findings[1]: line -1", "findings[3]"},
		`{"status":"pending","STATUS":"approved"}`:                                                {"not valid"},
	} {
		s := w.subject(w.head(), w.blob(check.ReviewName, content))
		expect(t, w.evaluate(artifact(check.ReviewName), s), false, words...)
		if review, err := check.ReadReview([]byte(content)); err == nil {
			t.Errorf("ReadReview of %s = %+v, want an error", content, review)
		}
	}
	content := `{"status":"CHANGES_REQUESTED","findings":[
		{"type":"backend","file":"./internal/a.go","line":3,"issue":"No \u001b[31mcheck","target":"publish"},
		{"file":"../../etc/passwd","issue":"Readable"}]}`
	expect(t, w.evaluate(artifact(check.ReviewName), w.subject(w.head(), w.blob(check.ReviewName, content))), true)
	review, err := check.ReadReview([]byte(content))
	if err != nil {
		t.Fatal(err)
	}
	want := &core.Review{Status: core.ReviewChangesRequested, Findings: []core.Finding{
		{Type: "backend", File: "internal/a.go", Line: 3, Issue: "No check"}, {File: "../../etc/passwd", Issue: "Readable"},
	}}
	if diff := cmp.Diff(want, review); diff != "" {
		t.Errorf("review (-want +got):\n%s", diff)
	}
}

func TestState(t *testing.T) {
	w := newWorld(t)
	s := w.subject(w.head())
	s.Context = json.RawMessage(`{"tests":{"passed":true,"failed":0},"cases":[{"ok":true},{"ok":false}],"note":"fine"}`)
	for expr, passed := range map[string]bool{
		".tests.passed == true": true, ".tests.failed": true, ".note": true, "[.cases[].ok] | any": true,
		".tests.missing": false, ".tests.passed | not": false, "empty": false, ".cases[].ok": false,
		".note.deeper": false, "$ENV.PATH": false, "env.PATH": false, "error(\"x\")": false, "halt_error": false,
		"[limit(5000; repeat(1))] | length > 0": true, "repeat(1)": false,
	} {
		expect(t, w.evaluate(state(expr), s), passed)
	}
	expect(t, w.evaluate(state(".tests.passed == false"), s), false, "found false", `"failed": 0`)
	expect(t, w.evaluate(state("empty"), s), false, "found no value")

	s.Context = nil
	expect(t, w.evaluate(state(".tests.passed"), s), false, "found null", "{}")
	s.Context = json.RawMessage(`{"a":1,"a":2}`)
	expect(t, w.evaluate(state(".a == 2"), s), false, "cannot be read")
}

func TestStateEndsAtItsLimit(t *testing.T) {
	for name, expr := range map[string]string{
		"many steps": "def f: f; f", "one long step": "reduce range(40) as $i (10; . * .) | 1",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			expect(t, w.evaluate(state(expr), w.subject(w.head())), false, "longer than")
		})
	}
}

func TestValidateRefuses(t *testing.T) {
	deep := files("a")
	for range 20 {
		deep = not(deep)
	}
	for name, c := range map[string]core.Check{
		"unknown kind":      {Kind: "magic"},
		"no kind":           {},
		"no pattern":        files(),
		"absolute pattern":  files("/etc/passwd"),
		"home pattern":      files("~/x"),
		"parent pattern":    files("a/../../b"),
		"hidden parent":     changed("{..,a}/b"),
		"bad glob":          files("a[b"),
		"open brace":        files("{a,b"),
		"negated":           files("!vendor/**"),
		"costly glob":       files(strings.Repeat("{a,b}", 30)),
		"long glob":         files(strings.Repeat("a", 600)),
		"many globs":        files(make([]string, 65)...),
		"no command":        command("  "),
		"NUL in command":    command("a\x00b"),
		"long time":         {Kind: core.CheckCommand, Run: "true", Timeout: 1 << 62},
		"artifact outside":  artifact("../x.md"),
		"artifact absolute": artifact("/x.md"),
		"no artifact":       artifact(""),
		"schema no JSON":    {Kind: core.CheckArtifact, Name: "a", Schema: json.RawMessage(`{`)},
		"schema wrong":      {Kind: core.CheckArtifact, Name: "a", Schema: json.RawMessage(`{"type":"thing"}`)},
		"schema remote":     {Kind: core.CheckArtifact, Name: "a", Schema: json.RawMessage(`{"$ref":"https://example.com/x.json"}`)},
		"schema file":       {Kind: core.CheckArtifact, Name: "a", Schema: json.RawMessage(`{"$ref":"file:///etc/passwd"}`)},
		"no expression":     state(" "),
		"bad expression":    state(".a |"),
		"unknown function":  state("launch(1)"),
		"input":             state("input"),
		"inputs":            state("[inputs]"),
		"module":            state(`import "a" as a; 1`),
		"empty git":         gitShape(core.GitCheck{}),
		"no git":            {Kind: core.CheckGit},
		"bad message":       gitShape(core.GitCheck{Message: "("}),
		"negative":          gitShape(core.GitCheck{Commits: -1}),
		"empty any":         anyOf(),
		"not of two":        {Kind: core.CheckNot, Of: []core.Check{files("a"), files("b")}},
		"empty inner all":   anyOf(all()),
		"too deep":          deep,
		"too many":          all(make([]core.Check, 200)...),
		"inside a compound": all(files("a"), anyOf(files("/b"))),
	} {
		if err := check.Validate(c); core.CodeOf(err) != core.CodeInvalid {
			t.Errorf("%s: Validate = %v, want an error with code invalid", name, err)
		}
	}
	w := newWorld(t)
	if _, _, err := w.evaluator().Evaluate(t.Context(), files("/etc/passwd"), w.subject(w.head())); core.CodeOf(err) != core.CodeInvalid {
		t.Errorf("Evaluate of a malformed check: %v", err)
	}
}

func TestSchemaReadsNoFile(t *testing.T) {
	readable := filepath.Join(t.TempDir(), "other.json")
	if err := os.WriteFile(readable, []byte(`{"type":"object"}`), 0o644); err != nil {
		t.Fatal(err)
	}
	schema := json.RawMessage(`{"$ref":"file://` + readable + `"}`)
	err := check.Validate(core.Check{Kind: core.CheckArtifact, Name: "a", Schema: schema})
	if core.CodeOf(err) != core.CodeInvalid || !strings.Contains(err.Error(), "is not loaded") {
		t.Errorf("Validate = %v, want a refusal to load the file", err)
	}
}

func TestDescribe(t *testing.T) {
	for want, c := range map[string]core.Check{
		"changed: internal/**/*.go":                  changed("internal/**/*.go"),
		"files: go.mod, go.sum":                      files("go.mod", "go.sum"),
		"command: go test ./...":                     command("go test ./..."),
		"command: set -e make":                       command("set -e\nmake\n"),
		"artifact: plan.md":                          artifact("plan.md"),
		"state: .tests.passed":                       state(".tests.passed"),
		"git: at least 1 commit, linear":             gitShape(core.GitCheck{Commits: 1, Linear: true}),
		"git: subjects match ^feat, at most 9 lines": gitShape(core.GitCheck{Message: "^feat", MaxLines: 9}),
		"any of (files: a; not (files: b))":          anyOf(files("a"), not(files("b"))),
		"all of (artifact: a; command: true)":        all(artifact("a"), command("true")),
	} {
		if got := check.Describe(c); got != want {
			t.Errorf("Describe = %q, want %q", got, want)
		}
	}
}

// TestNamesAreWhatIsReported holds the announcement of checks to their results.
func TestNamesAreWhatIsReported(t *testing.T) {
	got := check.Names(all(artifact("a.md"), all(anyOf(files("x"), files("y")))), []string{"a.md", "b.md"})
	if want := []string{"artifact: a.md", "any of (files: x; files: y)", "artifact: b.md"}; !slices.Equal(got, want) {
		t.Errorf("Names = %q, want %q", got, want)
	}
	if got := check.Names(core.Check{}, []string{"a.md"}); !slices.Equal(got, []string{"artifact: a.md"}) {
		t.Errorf("Names = %q", got)
	}
}

func TestTargets(t *testing.T) {
	order := []string{"plan", "migrate", "backend", "frontend", "tests", "review"}
	r := &core.Rollback{
		Types:   []core.RollbackRule{{Match: "database", Stage: "migrate"}, {Match: "security", Stage: "frontend"}, {Match: "security", Stage: "backend"}},
		Paths:   []core.RollbackRule{{Match: "**/*.ts", Stage: "frontend"}, {Match: "**/*.sql", Stage: "migrate"}, {Match: "web/**", Stage: "tests"}},
		Default: "tests",
	}
	for name, tc := range map[string]struct {
		f    core.Finding
		want string
	}{
		"by type":                {core.Finding{Type: "Database", File: "web/a.ts"}, "migrate"},
		"by path":                {core.Finding{Type: "style", File: "db/V1.sql"}, "migrate"},
		"earliest of the types":  {core.Finding{Type: "security"}, "backend"},
		"earliest of the paths":  {core.Finding{File: "web/a.ts"}, "frontend"},
		"written as ./path":      {core.Finding{File: "./db/../db/V1.sql"}, "migrate"},
		"outside the project":    {core.Finding{File: "../other/V1.sql"}, "tests"},
		"absolute":               {core.Finding{File: "/ws/db/V1.sql"}, "tests"},
		"default":                {core.Finding{Type: "style", File: "Makefile"}, "tests"},
		"a review cannot choose": {core.Finding{Target: "review"}, "tests"},
	} {
		if got := check.Targets(r, []core.Finding{tc.f}, order)[0].Target; got != tc.want {
			t.Errorf("%s: target %q, want %q", name, got, tc.want)
		}
	}
	given := []core.Finding{{File: "a.ts"}, {Type: "security"}, {}}
	check.Targets(r, given, order)
	if given[0].Target != "" {
		t.Error("Targets changed its argument")
	}
	for _, f := range check.Targets(nil, given, order) {
		if f.Target != "" {
			t.Errorf("without a rollback a finding is sent to %q", f.Target)
		}
	}
}
