package check_test

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/check"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/waittest"
	"github.com/stellwerk-dev/stellwerk/internal/yard"
)

// onePath is a tree of a single path, so that a fuzzer chooses pattern and path at once.
type onePath string

func (p onePath) Changed(context.Context, string, string) ([]yard.Change, error) {
	return []yard.Change{{Path: string(p), Kind: yard.Regular}}, nil
}

func (p onePath) Files(context.Context, string) ([]yard.File, error) {
	return []yard.File{{Path: string(p), Kind: yard.Regular}}, nil
}

func (p onePath) Log(context.Context, string, string) ([]yard.Commit, error) { return nil, nil }

func (p onePath) Resolved(context.Context, string, string, string) ([]string, error) { return nil, nil }

// settle evaluates a check and fails where that takes too long or gives neither verdict nor reason.
func settle(t *testing.T, e *check.Evaluator, c core.Check, s check.Subject) (passed bool) {
	t.Helper()
	started := time.Now()
	passed, results, err := e.Evaluate(context.Background(), c, s)
	if took := time.Since(started); took > waittest.Limit {
		t.Fatalf("%s took %s", check.Describe(c), took)
	}
	if err != nil {
		if core.CodeOf(err) != core.CodeInvalid {
			t.Fatalf("%s: %v", check.Describe(c), err)
		}
		return false
	}
	if len(results) == 0 {
		t.Fatalf("%s: a verdict without a result", check.Describe(c))
	}
	return passed
}

func FuzzGlob(f *testing.F) {
	for _, seed := range [][2]string{
		{"**/*.go", "internal/a/b.go"}, {"{a,b}/{c,d}", "a/d"}, {"a/**/b/**/c/**", "a/b/c/b/c"}, {`\*`, "*"}, {"[!a]", "b"},
		{"**", "../../etc/passwd"}, {"*", "/etc/passwd"}, {"{,a}", "a"}, {"**/{a,**}/*", "x/y/z"}, {"[\\", "x"}, {"**", ".git/config"},
	} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, glob, path string) {
		e := &check.Evaluator{Tree: onePath(path)}
		s := check.Subject{Base: "base", Delivery: &core.Delivery{Commit: "head"}}
		for _, c := range []core.Check{files(glob), changed(glob)} {
			if settle(t, e, c, s) && outside(path) {
				t.Fatalf("%s is satisfied by %q, which is outside the project", check.Describe(c), path)
			}
		}
	})
}

// outside is an independent statement of what must never satisfy a check.
func outside(path string) bool {
	depth, segment := 0, ""
	for _, r := range path + "/" {
		if r != '/' {
			segment += string(r)
			continue
		}
		if segment == ".." {
			depth--
		} else {
			depth++
		}
		if depth < 0 || segment == ".git" {
			return true
		}
		segment = ""
	}
	return path == "" || path[0] == '/'
}

func FuzzState(f *testing.F) {
	for _, seed := range [][2]string{
		{".a.b == true", `{"a":{"b":true}}`}, {".[] | select(.x)", `[{"x":1}]`}, {`test("a+")`, `"aaa"`}, {"def f: f; f", "{}"},
		{"[range(5)] | add", "1"}, {"$ENV", "{}"}, {"..", `{"a":[1,[2]]}`}, {"@base64d", `"%%"`}, {"input", "1"}, {"tojson|fromjson", "[]"},
		{"ltrimstr(1)|.[:9]", `"abc"`}, {"splits(\"a\")", `"bab"`}, {"getpath([\"a\",0])", `{"a":[1]}`}, {"strptime(\"%Y\")", `"2026"`},
	} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, expr, doc string) {
		s := check.Subject{Delivery: &core.Delivery{}, Context: json.RawMessage(doc)}
		settle(t, &check.Evaluator{}, state(expr), s)
	})
}
