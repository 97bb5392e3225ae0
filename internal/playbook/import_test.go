package playbook

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func TestImport(t *testing.T) {
	files, err := filepath.Glob("testdata/import/*.conf")
	if err != nil || len(files) == 0 {
		t.Fatalf("%v %v", files, err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			text, notes, err := Import(filepath.Base(file), data)
			if err != nil {
				t.Fatal(err)
			}
			base := strings.TrimSuffix(file, ".conf")
			golden(t, base+".yaml", string(text))
			golden(t, base+".notes", strings.Join(notes, "\n")+"\n")
			if _, _, err := Parse("imported.yaml", text, Options{}); err != nil {
				t.Errorf("the imported playbook is not valid: %v", err)
			}
		})
	}
}

func golden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s: %s", file, diff)
	}
}

func TestImportProblems(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"empty", "# nothing\n", `phases.conf:1:1: no phase was found; a phase is a line such as "0|architect-planner|APPROVAL|GLOB:.workflow/specs/issue-*-plan.md"`},
		{"not a phase", "PHASES=(\n  \"0|a|AUTO\"\n)\n", "phases.conf:2:3: this is not a phase; a phase has four parts: number|agent|type|criterion"},
		{"open quote", "\"0|a|AUTO|x\nrm -rf /\n", "phases.conf:1:1: this is not a phase; a phase has four parts: number|agent|type|criterion\n" +
			"phases.conf:2:1: this is not a phase; a phase has four parts: number|agent|type|criterion"},
		{"unseen", "0|a|AUTO|x\x00y\n1|b|AUTO|\xff\n", "phases.conf:1:1: the line holds characters that cannot be seen; save the file as plain text, in UTF-8\n" +
			"phases.conf:2:1: the line holds characters that cannot be seen; save the file as plain text, in UTF-8"},
		{"bad parts", "\tx|a|LATER|x\n1|A B|AUTO|x\n2|b|AUTO|\n3|c|AUTO|FILE:x\n4|d|AUTO|GLOB:../x\n5|e|AUTO|STATE:context.a==\n6|f|AUTO|VERIFY:\n",
			"phases.conf:1:2: number: \"x\" is not a phase number\n" +
				"phases.conf:1:2: type: unknown type \"LATER\"; known: APPROVAL, AUTO, SKIP\n" +
				"phases.conf:2:1: agent: \"A B\" is not a valid role name; use small letters, digits and single hyphens, at most 40 characters\n" +
				"phases.conf:3:1: criterion: is empty; known: GLOB:, STATE:, VERIFY:, PHASE_STATUS, or a glob\n" +
				"phases.conf:4:1: criterion: unknown criterion \"FILE:\"; known: GLOB:, STATE:, VERIFY:, PHASE_STATUS, or a glob\n" +
				"phases.conf:5:1: criterion: the glob \"../x\" cannot be used; name files inside the project, relative to its root\n" +
				"phases.conf:6:1: criterion: the expression \".a == \" is not valid jq: unexpected EOF\n" +
				"phases.conf:7:1: criterion: VERIFY: names no command"},
	}
	for _, test := range tests {
		_, _, err := Import("phases.conf", []byte(test.text))
		if err == nil || err.Error() != test.want {
			t.Errorf("%s:\n%v\nwant:\n%s", test.name, err, test.want)
		}
	}
}

func FuzzImport(f *testing.F) {
	files, err := filepath.Glob("testdata/import/*.conf")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add([]byte("0|a|AUTO|GLOB:a\tb\n1|b|AUTO|VERIFY:a\tb\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		text, _, err := Import("phases.conf", data)
		if err != nil {
			return
		}
		if _, _, err := Parse("imported.yaml", text, Options{}); err != nil {
			t.Errorf("%q became an invalid playbook: %v\n%s", data, err, text)
		}
	})
}
