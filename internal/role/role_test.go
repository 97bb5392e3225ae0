package role

import (
	"bytes"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

func TestParse(t *testing.T) {
	r, err := Parse("roles/a.md", []byte("---\r\nname: reviewer\ndescription: Looks.\ntools: Read, Bash(git add:*, ls), mcp__x__y\nmodel: inherit\ncolor: red\ncapabilities: [review, go]\nagent: mine\n---\n\n# Look\n---\nat it\n"))
	if err != nil {
		t.Fatal(err)
	}
	want := core.Role{Name: "reviewer", Description: "Looks.", Tools: []string{"Read", "Bash(git add:*, ls)", "mcp__x__y"}, Color: "red",
		Capabilities: []string{"review", "go"}, Agent: "mine", Prompt: "# Look\n---\nat it"}
	if diff := cmp.Diff(want, r.Role); diff != "" {
		t.Error(diff)
	}
	if r.Builtin() || r.Origin != "roles/a.md" || len(r.Digest) != 64 || len(r.Notes) != 0 {
		t.Errorf("origin %q, digest %q, notes %v", r.Origin, r.Digest, r.Notes)
	}
}

func TestParseForms(t *testing.T) {
	tests := []struct {
		name, text string
		want       core.Role
		notes      []string
	}{
		{"no front matter", "Design APIs.\n", core.Role{Name: "api-architect", Prompt: "Design APIs."},
			[]string{"api-architect.md:1:1: the file has no front matter; its name is taken from the file name"}},
		{"empty front matter", "---\n---\nText\n", core.Role{Name: "api-architect", Prompt: "Text"}, nil},
		{"all tools", "---\nname: x\ntools: \"*\"\n---\n", core.Role{Name: "x"}, nil},
		{"list of tools", "---\nname: x\ntools: [Read, Write]\n---\n", core.Role{Name: "x", Tools: []string{"Read", "Write"}}, nil},
		{"keys of Claude Code", "---\nname: x\nisolation: worktree\npermissionMode: plan\ndisallowedTools: Bash\n---\n", core.Role{Name: "x"}, []string{
			"api-architect.md:4:1: permissionMode: is not used by Stellwerk; known: agent, capabilities, color, description, model, name, network, tools",
			"api-architect.md:5:1: disallowedTools: has no effect: the role keeps every tool that tools allows; list the allowed tools in tools"}},
		{"colons in the description", "---\nname: x\ndescription: Use when: asked. <example>user: hi</example>\ntools: Read\n---\nText\n",
			core.Role{Name: "x", Description: "Use when: asked. <example>user: hi</example>", Tools: []string{"Read"}, Prompt: "Text"},
			[]string{`api-architect.md:2:1: the front matter is not YAML; each line was read as key: text; quote values that contain ": "`}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r, err := Parse("api-architect.md", []byte(test.text))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, r.Role); diff != "" {
				t.Error(diff)
			}
			var notes []string
			for _, n := range r.Notes {
				notes = append(notes, n.String())
			}
			if diff := cmp.Diff(test.notes, notes); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestParseProblems(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"not closed", "---\nname: x\n", "a.md:1:1: the front matter is not closed; end it with a line ---"},
		{"bad name", "---\ndescription: d\nname: My Role\n---\n", `a.md:2:1: "My Role" cannot be the name of a role; use small letters, digits and single hyphens`},
		{"wrong types", "---\nname: x\nmodel: [a]\ntools: {a: b}\n---\n", "a.md:3:8: model: expected text, got a list\na.md:4:8: tools: expected text, got a map"},
		{"no tools at all", "---\nname: x\ntools: []\n---\n", "a.md:3:8: tools: the list is empty"},
		{"not YAML at all", "---\nname: x\nmodel: [\n---\n", "a.md:3:1: *"},
	}
	for _, test := range tests {
		_, err := Parse("a.md", []byte(test.text))
		if prefix, open := strings.CutSuffix(test.want, "*"); err == nil || (open && !strings.HasPrefix(err.Error(), prefix)) || (!open && err.Error() != test.want) {
			t.Errorf("%s: %v, want %s", test.name, err, test.want)
		}
	}
}

func TestLoad(t *testing.T) {
	fsys := fstest.MapFS{
		"roles/a.md":      {Data: []byte("---\nname: planner\n---\nOurs")},
		"roles/notes.txt": {Data: []byte("no role")},
		"roles/sub/b.md":  {Data: []byte("no role either")},
	}
	set, err := Load(fsys, "roles")
	if err != nil {
		t.Fatal(err)
	}
	merged := set.Over(Builtin())
	if got := merged["planner"]; got.Prompt != "Ours" || got.Builtin() || !merged["developer"].Builtin() {
		t.Errorf("planner %+v", got)
	}
	if got := len(merged); got != len(Builtin()) {
		t.Errorf("%d roles: %v", got, merged.Names())
	}
	if none, err := Load(fsys, "nowhere"); err != nil || len(none) != 0 {
		t.Errorf("a missing folder: %v %v", none, err)
	}
	fsys["roles/b.md"] = &fstest.MapFile{Data: []byte("---\nname: planner\n---\n")}
	fsys["roles/c.md"] = &fstest.MapFile{Data: []byte("---\nname: 1\n---\n")}
	_, err = Load(fsys, "roles")
	want := "roles/b.md:1:1: the role \"planner\" is already defined in roles/a.md\nroles/c.md:2:7: name: expected text, got the number 1; quote it: \"1\""
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("---\nname: x\ntools: a, b(c, d\n---\ntext"))
	f.Add([]byte("---\nx: a: b\n---"))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := Parse("file.md", data)
		if err == nil && !ValidName(r.Name) {
			t.Errorf("%q is accepted with the name %q", data, r.Name)
		}
	})
}

func TestParseReview(t *testing.T) {
	tests := []struct {
		name, text string
		want       *core.Review
		wantErr    string
	}{
		{"approved", `{"status":"Approved"}`, &core.Review{Status: core.ReviewApproved}, ""},
		{"findings", `{"status":"CHANGES_REQUESTED","extra":1,"findings":[{"type":"Backend","file":"a.go","line":3,"severity":"HIGH","issue":" x "}]}`,
			&core.Review{Status: core.ReviewChangesRequested, Findings: []core.Finding{{Type: "backend", File: "a.go", Line: 3, Severity: "high", Issue: "x"}}}, ""},
		{"fixes", `{"status":"changes_requested","fixes":[{"issue":"x"}]}`,
			&core.Review{Status: core.ReviewChangesRequested, Findings: []core.Finding{{Issue: "x"}}}, ""},
		{"remarks on an approval", `{"status":"approved","findings":[{"issue":"x"}]}`,
			&core.Review{Status: core.ReviewApproved, Findings: []core.Finding{{Issue: "x"}}}, ""},
		{"no status", `{}`, nil, "status is missing"},
		{"other status", `{"status":"LGTM"}`, nil, `status "LGTM" is neither`},
		{"changes without findings", `{"status":"changes_requested"}`, nil, "without a finding"},
		{"both names", `{"status":"changes_requested","fixes":[{"issue":"x"}],"findings":[{"issue":"y"}]}`, nil, "two names"},
		{"finding without issue", `{"status":"changes_requested","findings":[{"file":"x"}]}`, nil, "findings[0]: issue is missing"},
		{"negative line", `{"status":"changes_requested","findings":[{"issue":"x","line":-1}]}`, nil, "not a line number"},
		{"two statuses", `{"status":"changes_requested","STATUS":"approved"}`, nil, "differs only in case"},
		{"duplicate", `{"status":"approved","status":"approved"}`, nil, "duplicate key"},
		{"trailing", `{"status":"approved"} {}`, nil, "data after"},
		{"wrong type", `{"status":1}`, nil, "wrong type"},
		{"too many", `{"status":"approved","findings":[` + strings.Repeat(`{"issue":"x"},`, 500) + `{"issue":"x"}]}`, nil, "501 findings"},
		{"garbage", `no`, nil, "not valid JSON"},
	}
	schema := reviewValidator(t)
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := ParseReview([]byte(test.text))
			if test.wantErr != "" {
				if err == nil || !strings.Contains(err.Error(), test.wantErr) {
					t.Errorf("error %v, want %q", err, test.wantErr)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
			value, err := jsonschema.UnmarshalJSON(strings.NewReader(test.text))
			if err != nil {
				t.Fatal(err)
			}
			if err := schema.Validate(value); err != nil {
				t.Errorf("accepted by the parser, refused by the schema: %v", err)
			}
		})
	}
	for _, bad := range []string{`{}`, `{"status":"LGTM"}`, `[]`, `{"status":"approved","findings":[{"issue":" "}]}`} {
		value, err := jsonschema.UnmarshalJSON(strings.NewReader(bad))
		if err != nil {
			t.Fatal(err)
		}
		if schema.Validate(value) == nil {
			t.Errorf("the schema accepts %s", bad)
		}
	}
}

func reviewValidator(t *testing.T) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(ReviewSchema()))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("review.json", doc); err != nil {
		t.Fatal(err)
	}
	schema, err := compiler.Compile("review.json")
	if err != nil {
		t.Fatal(err)
	}
	return schema
}
