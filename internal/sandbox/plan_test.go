package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stellwerk-dev/stellwerk/internal/program"
)

func link(t *testing.T, target, path string) string {
	t.Helper()
	if err := os.Symlink(target, path); err != nil {
		t.Fatal(err)
	}
	return path
}

func tool(t *testing.T, path, text string) string {
	t.Helper()
	if err := os.Chmod(write(t, path, text), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestTheDeepestRuleDecides, and a name that another one begins with is another one.
func TestTheDeepestRuleDecides(t *testing.T) {
	top := t.TempDir()
	ro, rw := folder(t, top, "ro"), folder(t, top, "rw")
	inner := folder(t, rw, "inner")
	p, err := newPlan([]string{ro, top + "/system", top + "/gone"}, Spec{
		Dir: ro, ReadOnly: []string{inner, inner}, Writable: []string{rw}, Masked: []string{ro + "/secret", top + "/system"},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []mount{{top + "/gone", readOnly}, {ro, readOnly}, {rw, writable}, {top + "/system", hidden}, {ro + "/secret", hidden}, {inner, readOnly}}
	if !slices.Equal(p.mounts, want) {
		t.Errorf("the rules are %v, want %v", p.mounts, want)
	}
	for path, want := range map[string]access{
		top: hidden, ro: readOnly, ro + "/x": readOnly, ro + "x": hidden, ro + "/secret": hidden, ro + "/secret/x": hidden, ro + "/secrets": readOnly,
		rw: writable, rw + "/x": writable, rw + "/inner": readOnly, rw + "/inner/x": readOnly, rw + "/inner2": writable, top + "/system/x": hidden, "/": hidden,
	} {
		if got := p.accessTo(path); got != want {
			t.Errorf("the access to %s is %d, want %d", path, got, want)
		}
	}
	if !within("/x", "/") || !within("/", "/") {
		t.Error("something is not within the root")
	}
}

// TestPlansThatAreRefused, beside those that are not: the difference is one link, one name or one letter.
func TestPlansThatAreRefused(t *testing.T) {
	top := t.TempDir()
	rw, outside := folder(t, top, "rw"), folder(t, top, "outside", "inner")
	folder(t, rw, "plain", "deep")
	link(t, filepath.Dir(outside), rw+"/link")
	link(t, filepath.Dir(outside), top+"/beside")
	link(t, "none", top+"/nothing")
	for name, c := range map[string]struct {
		spec Spec
		want string
	}{
		"a folder below a writable one":   {Spec{Dir: "/", Writable: []string{rw}, ReadOnly: []string{rw + "/plain/deep"}}, ""},
		"a link on the way":               {Spec{Dir: "/", Writable: []string{rw}, ReadOnly: []string{rw + "/link/inner"}}, "symbolic link"},
		"a link at its end":               {Spec{Dir: "/", Writable: []string{rw}, Masked: []string{rw + "/link"}}, "symbolic link"},
		"a link below what is read-only":  {Spec{Dir: "/", ReadOnly: []string{rw, rw + "/link/inner"}}, ""},
		"a link beside":                   {Spec{Dir: "/", Writable: []string{rw}, ReadOnly: []string{top + "/beside"}}, ""},
		"a link to nothing":               {Spec{Dir: "/", ReadOnly: []string{top + "/nothing"}}, "no such file"},
		"masked and missing":              {Spec{Dir: "/", Masked: []string{top + "/none"}}, ""},
		"masked and missing, in writable": {Spec{Dir: "/", Writable: []string{rw}, Masked: []string{rw + "/none"}}, "no such file"},
		"writable and missing":            {Spec{Dir: "/", Writable: []string{top + "/none"}}, "no such file"},
		"writable and masked":             {Spec{Dir: "/", Writable: []string{rw}, Masked: []string{rw}}, "listed twice"},
		"the root, writable":              {Spec{Dir: "/", Writable: []string{"/"}}, "/ cannot be shown"},
		"masked by a relative name":       {Spec{Dir: "/", Masked: []string{"rw"}}, "not absolute"},
		"a slash at the end":              {Spec{Dir: "/", Writable: []string{rw + "/"}}, "not absolute and clean"},
		"begun in /tmp":                   {Spec{Dir: "/tmp"}, ""},
		"begun in what is masked":         {Spec{Dir: rw, Masked: []string{rw}}, ErrNotVisible.Error()},
		"begun in a relative folder":      {Spec{Dir: "rw"}, "not absolute"},
		"begun in a neighbour":            {Spec{Dir: rw + "2", Writable: []string{rw}}, ErrNotVisible.Error()},
		"a relative /tmp":                 {Spec{Dir: "/", Tmp: "tmp"}, "not absolute"},
		"a /tmp":                          {Spec{Dir: "/", Tmp: rw}, ""},
	} {
		_, err := newPlan(nil, c.spec)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v", name, err)
		}
		c.spec.Argv = []string{"/bin/sh"}
		if _, pathErr := VisiblePath("/usr/bin", c.spec); (pathErr == nil) != (err == nil) {
			t.Errorf("%s: its PATH: %v", name, pathErr)
		}
	}
}

// TestWhatIsPrivate: by the last digit of its mode, and a folder that holds many such files as a whole, unless it is the
// one that was searched.
func TestWhatIsPrivate(t *testing.T) {
	tree := fstest.MapFS{
		"open": {Mode: 0o604}, "group": {Mode: 0o640}, "writable": {Mode: 0o602}, "runnable": {Mode: 0o711}, "link": {Mode: fs.ModeSymlink | 0o600},
		"pass": {Mode: fs.ModeDir | 0o711}, "pass/open": {Mode: 0o644}, "pass/key": {Mode: 0o600},
		"shut": {Mode: fs.ModeDir | 0o754}, "shut/open": {Mode: 0o644}, "shut/key": {Mode: 0o600},
		"few": {Mode: fs.ModeDir | 0o755}, "many": {Mode: fs.ModeDir | 0o755}, "many/open": {Mode: 0o644},
	}
	want := []string{"/opt/group", "/opt/many", "/opt/pass/key", "/opt/runnable", "/opt/shut", "/opt/writable"}
	for i := range crowded {
		name := fmt.Sprintf("few/%02d", i)
		tree[name], want = &fstest.MapFile{Mode: 0o600}, append(want, "/opt/"+name)
	}
	for i := range crowded + 1 {
		tree[fmt.Sprintf("many/%02d", i)], tree[fmt.Sprintf("%02d", i)] = &fstest.MapFile{Mode: 0o600}, &fstest.MapFile{Mode: 0o600}
		want = append(want, fmt.Sprintf("/opt/%02d", i))
	}
	got := searched(tree)
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("private are\n%q\nwant\n%q", got, want)
	}
	if found := searched(vanishing{fstest.MapFS{"gone": {Mode: 0o600}}}); len(found) != 0 {
		t.Errorf("a file that is gone is private: %q", found)
	}
}

// searched is what is private in a tree that is /opt.
func searched(tree fs.FS) []string {
	return inspection{"/opt", func(folder string) ([]looked, error) {
		entries, err := fs.ReadDir(tree, path.Join(".", strings.TrimPrefix(folder, "/opt")))
		var all []looked
		for _, e := range entries {
			one := looked{name: e.Name(), mode: e.Type()}
			info, err := e.Info()
			if one.err = err; err == nil {
				one.mode = info.Mode()
			}
			all = append(all, one)
		}
		return all, err
	}}.folder("/opt", looked{mode: fs.ModeDir | 0o755})
}

// vanishing is a tree whose files go away while it is read.
type vanishing struct{ fstest.MapFS }

func (v vanishing) ReadDir(name string) ([]fs.DirEntry, error) {
	entries, err := v.MapFS.ReadDir(name)
	for i, e := range entries {
		entries[i] = vanished{e}
	}
	return entries, err
}

type vanished struct{ fs.DirEntry }

func (vanished) Info() (fs.FileInfo, error) { return nil, fs.ErrNotExist }

// TestHowMuchIsHidden: whatever is not listed, to a bound.
func TestHowMuchIsHidden(t *testing.T) {
	many := make([]string, mostPrivate+1)
	for i := range many {
		many[i] = fmt.Sprintf("/opt/%04d", i)
	}
	var p plan
	if err := p.hide(many[:mostPrivate], Spec{}); err != nil || len(p.mounts) != mostPrivate || p.mounts[0] != (mount{many[0], hidden}) {
		t.Errorf("%d rules, %v", len(p.mounts), err)
	}
	if err := p.hide(many, Spec{}); err == nil || !strings.Contains(err.Error(), "4001 files") || !strings.Contains(err.Error(), "/opt/0000 ") {
		t.Errorf("one too many: %v", err)
	}
	if _, err := Command(Sandbox, Spec{Argv: []string{"/bin/sh"}, Dir: "/", Private: many}); err == nil || !strings.Contains(err.Error(), "too many") {
		t.Errorf("one too many: %v", err)
	}
	p = plan{mounts: []mount{{"/opt", readOnly}, {"/usr", readOnly}}}
	spec := Spec{ReadOnly: []string{"/opt/a"}, Writable: []string{"/opt/b"}, Masked: []string{"/opt/c"}}
	if err := p.hide([]string{"/usr", "/opt/z", "/opt/a/key", "/opt/a", "/opt/aa", "/opt/b/key", "/opt/c/key", "/opt/d/e"}, spec); err != nil {
		t.Fatal(err)
	}
	if want := []mount{{"/opt", readOnly}, {"/usr", hidden}, {"/opt/aa", hidden}, {"/opt/z", hidden}, {"/opt/d/e", hidden}}; !slices.Equal(p.mounts, want) {
		t.Errorf("the rules are %v, want %v", p.mounts, want)
	}
	if got := Private(); got == nil {
		t.Error("where nothing is private, it would be searched again and again")
	}
}

// TestWhatAdministratorsFill: folders of their own, and no links to elsewhere.
func TestWhatAdministratorsFill(t *testing.T) {
	var want []string
	for _, path := range []string{"/opt", "/etc/ssl", "/usr/local"} {
		if info, err := os.Lstat(path); err == nil && info.IsDir() {
			want = append(want, path)
		}
	}
	given := []string{"/usr", "/opt", "/etc/passwd", "/etc/ssl", "/etc/none", "/proc", "/proc/self"}
	if got := handFilled(given); !slices.Equal(got, want) {
		t.Errorf("they are %q, want %q", got, want)
	}
	dir := folder(t, t.TempDir(), "etc", "ssl")
	spelt := "/etc/.." + dir // as everything below /etc is
	for path, filled := range map[string]bool{spelt: true, "/etc/.." + link(t, dir, dir+"-link"): false, "/etc/.." + write(t, dir+"-file", ""): false, dir: false} {
		if got := handFilled([]string{path}); slices.Contains(got, path) != filled {
			t.Errorf("%s: they are %q", path, got)
		}
	}
}

// TestWhichProgramIsMeant, inside and outside: by the folder and the PATH it will have, and the last PATH that is set.
func TestWhichProgramIsMeant(t *testing.T) {
	top := t.TempDir()
	shown, unseen := folder(t, top, "shown"), folder(t, top, "unseen")
	sub := folder(t, shown, "sub")
	tool(t, shown+"/run", "#!/bin/sh\n")
	tool(t, sub+"/run", "#!/bin/sh\n")
	tool(t, unseen+"/run", "#!/bin/sh\n")
	tool(t, unseen+"/only", "#!/bin/sh\n")
	tool(t, unseen+"/sh", "")
	tool(t, unseen+"/data", "#!/bin/sh\n")
	write(t, sub+"/data", "")
	tool(t, shown+"/data", "#!/bin/sh\n")
	tool(t, shown+"/hidden-sh", "#!"+unseen+"/sh -e\n")
	tool(t, shown+"/lost-sh", "#!/no/sh\n")
	tool(t, shown+"/env", "#!/usr/bin/env only\n")
	link(t, unseen+"/only", shown+"/leads-out")
	link(t, shown+"/run", unseen+"/leads-in")
	for name, c := range map[string]struct {
		name, path  string
		want        string // the file, outside
		outside, in error
	}{
		"absolute":                         {shown + "/run", "", shown + "/run", nil, nil},
		"relative to the folder":           {"./run", "", sub + "/run", nil, nil},
		"relative, above":                  {"../run", "", shown + "/run", nil, nil},
		"on PATH":                          {"run", shown, shown + "/run", nil, nil},
		"on PATH, the first":               {"run", sub + ":" + shown, sub + "/run", nil, nil},
		"on PATH, after a hidden one":      {"run", unseen + ":" + shown, unseen + "/run", nil, nil},
		"on PATH, after one that is data":  {"data", sub + ":" + shown, shown + "/data", nil, nil},
		"on PATH, hidden, then none":       {"only", unseen + ":" + shown, unseen + "/only", nil, ErrNotVisible},
		"on PATH, data, then hidden":       {"data", sub + ":" + unseen, unseen + "/data", nil, program.ErrNotExecutable},
		"on PATH, hidden, then data":       {"data", unseen + ":" + sub, unseen + "/data", nil, ErrNotVisible},
		"on PATH, data":                    {"data", "/none:" + sub, "", program.ErrNotExecutable, program.ErrNotExecutable},
		"not on PATH":                      {"none", shown, "", ErrNoProgram, ErrNoProgram},
		"in the folder, but not on PATH":   {"run", "", "", ErrNoProgram, ErrNoProgram},
		"not executable":                   {"./data", "", "", program.ErrNotExecutable, program.ErrNotExecutable},
		"missing":                          {"./none", "", "", ErrNoProgram, ErrNoProgram},
		"a link to what is hidden":         {shown + "/leads-out", "", shown + "/leads-out", nil, ErrNotVisible},
		"a hidden link":                    {unseen + "/leads-in", "", unseen + "/leads-in", nil, ErrNotVisible},
		"a hidden interpreter":             {shown + "/hidden-sh", "", shown + "/hidden-sh", nil, ErrNotVisible},
		"no interpreter":                   {shown + "/lost-sh", "", shown + "/lost-sh", program.ErrInterpreter, program.ErrInterpreter},
		"an interpreter that PATH has":     {shown + "/env", unseen, shown + "/env", nil, nil},
		"an interpreter that PATH has not": {shown + "/env", sub, shown + "/env", program.ErrInterpreter, program.ErrInterpreter},
	} {
		spec := Spec{
			Argv: []string{c.name}, Dir: sub, ReadOnly: []string{shown}, Private: []string{},
			Env: []string{"PATH=/nowhere", "PATH=" + c.path, "PATHS=" + unseen, "XPATH=" + unseen},
		}
		got, err := LookPath(spec, c.name)
		if !errors.Is(err, c.outside) || (err == nil) != (c.outside == nil) || got != c.want {
			t.Errorf("%s: outside it is %q, %v", name, got, err)
		}
		p, err := newPlan(systemPaths("linux"), spec)
		if err != nil {
			t.Fatal(err)
		}
		if err := p.findProgram(spec); !errors.Is(err, c.in) || (err == nil) != (c.in == nil) {
			t.Errorf("%s: inside it is %v", name, err)
		}
	}
	link(t, unseen, shown+"/elsewhere")
	link(t, shown, top+"/beside")
	path, err := VisiblePath(strings.Join([]string{unseen, shown + "/", shown + "/elsewhere", top + "/beside", ".", shown + "/none", sub}, ":"), Spec{Dir: "/", ReadOnly: []string{shown}})
	if want := shown + "/:" + sub; err != nil || path != want {
		t.Errorf("PATH is %q, want %q, %v", path, want, err)
	}
}
