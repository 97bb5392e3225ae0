package shell_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stellwerk-dev/stellwerk/internal/guard/shell"
	"github.com/stellwerk-dev/stellwerk/internal/waittest"
)

// recorder notes everything it is asked about.
type recorder struct {
	programs, assigned, opened []string
}

func (r *recorder) Program(_ *shell.Run, p shell.Program) {
	words := []string{p.Name}
	for _, t := range p.Args {
		words = append(words, t.String())
	}
	note := strings.Join(words, " ")
	if p.Bare {
		note += " (bare)"
	}
	if !slices.Contains(r.programs, note) {
		r.programs = append(r.programs, note)
	}
}

func (r *recorder) Assign(_ *shell.Run, name string, values []shell.Text) {
	if values == nil {
		name = "-" + name
	}
	r.assigned = append(r.assigned, name)
}

func (r *recorder) Open(_ *shell.Run, path shell.Text, write bool) {
	mode := "< "
	if write {
		mode = "> "
	}
	r.opened = append(r.opened, mode+path.String())
}

// refused stands for a line that is refused by the rule after it.
const refused = "refused: "

func TestLookFindsWhatRuns(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		line string
		want []string
	}{
		{`ls -l`, []string{"ls -l"}},
		{`# ls`, nil},
		{`l's' $'\x2dl' "a b" c\ d`, []string{"ls -l a b c d"}},
		{`x=ls; $x -l "$x"`, []string{"ls -l ls"}},
		{`x='ls -l'; $x "$x"`, []string{"ls -l ls -l"}},
		{`x="a   b"; ls $x`, []string{"ls a b"}},
		{`ls $UNSET`, []string{"ls …"}},
		{`$UNSET ls`, []string{refused + "unresolved"}},
		{`"$UNSET/ls" -l`, []string{"ls -l"}},
		{`$HOME/bin/ls`, []string{"ls"}},
		{`$UNSET/ls`, []string{refused + "unresolved"}},
		{`l?`, []string{refused + "unresolved"}},
		{`ls {a,b}{1,2} *.go`, []string{"ls a1 a2 b1 b2 *.go"}},
		{`a=(ls -l); "${a[@]}" "${a[1]}" ${#a}`, []string{"ls -l -l …"}},
		{`if a; then x=b; else x=c; fi; $x`, []string{"a", "b", "c"}},
		{`for x in b c; do $x; done`, []string{"b", "c"}},
		{`x=b; while true; do $x; x=c; done`, []string{"true", "b", "c"}},
		{`x=a; while true; do x=x$x; done; $x`, []string{"true", refused + "unresolved"}},
		{`cd d && x=b && $x`, []string{"b"}},
		{`case $x in a) b;; *) c;; esac`, []string{"b", "c"}},
		{`f() { b "$1"; }; f c`, []string{"b c", "f c"}},
		{`f() { f "$@"; b; }; f c`, []string{"b", "f …", "f c"}},
		{`a | b && (c; d) &`, []string{"a", "b", "c", "d"}},
		{`echo $(a) "$(b)" <(c) $((1 + $(d))) ${x:-$(e)}`, []string{"a", "b", "c", "d", "e", "echo … … /dev/fd/:0 … …"}},
		{`[[ -n $(a) ]]; (( $(b) ))`, []string{"a", "b"}},
		{"cat <<E\n$(a)\nE", []string{"a", "cat"}},
		{"cat <<'E'\n$(a)\nE", []string{"cat"}},
		{`$(echo a b)`, []string{"echo a b", "a b"}},
		{`$(printf '%s %s' a b)`, []string{"a b"}},
		{`$(a)`, []string{"a", refused + "unresolved"}},
		{`x=$(command -v b || command -v c); $x`, []string{"b", "c"}},
		{`eval 'a b'`, []string{"a b"}},
		{`eval "$(a)"`, []string{"a", refused + "unresolved"}},
		{`eval "$(ssh-agent -s)"`, []string{"ssh-agent -s"}},
		{`trap 'a $x' EXIT; x=1`, []string{"a 1"}},
		{`bash -c 'a "$1"' _ b`, []string{"a b"}},
		{`bash -c "a $PWD"`, []string{"a …"}},
		{`bash -c "a $UNSET"`, []string{refused + "unresolved"}},
		{`bash script.sh`, nil},
		{`echo a | bash`, []string{"echo a", "a"}},
		{`a | bash`, []string{"a", refused + "unresolved"}},
		{"bash -s b <<'E'\na \"$1\"\nE", []string{"a b"}},
		{"bash -s b <<E\na x$1\nE", []string{"a x"}},
		{`bash <(echo a)`, []string{"echo a", "a"}},
		{`source <(a)`, []string{"a", refused + "unresolved"}},
		{`source file; $x`, []string{refused + "unresolved"}},
		{`x=a; source file; $x`, []string{refused + "unresolved"}},
		{`env -i A=b timeout 5 nice -n 1 a b`, []string{"a b (bare)"}},
		{`env -S 'a b' c`, []string{"a b c"}},
		{`sudo -u root a`, []string{"a (bare)"}},
		{`sudo -E a`, []string{"a"}},
		{`timeout $UNSET a`, []string{refused + "unresolved"}},
		{`xargs -n 1 a b`, []string{"a b …"}},
		{`xargs -I% a %x`, []string{"a …x"}},
		{`find . -exec a {} \; -exec b {} +`, []string{"a …", "b …", "find . -exec a {} ; -exec b {} +"}},
		{`watch -n 1 'a b'`, []string{"a b"}},
		{`parallel a {} ::: b`, []string{"a …"}},
		{`flock f -c 'a b'`, []string{"a b"}},
		{`npx -c 'git x'`, []string{"git x", "npx -c git x"}},
		{`docker run image git x`, []string{"git x", "docker run image git x"}},
		{`alias a='b c'; a d`, []string{"b c d", "a d"}},
		{`hash -p /bin/a b`, []string{refused + "unresolved"}},
		{`command a; builtin eval b; exec -a x c`, []string{"a", "b", "c"}},
		{`GIT x; git.exe y; =git z`, []string{"git x", "git y", "git z"}},
		{`at now`, []string{refused + "unresolved"}},
		{`if`, []string{refused + "unreadable"}},
		{"a\\\r\nb", []string{refused + "unreadable"}},
		{"eval $'a\\r\\nb'", []string{refused + "unreadable"}},
		{"a\x01b", []string{refused + "unreadable"}},
		{strings.Repeat("(", 400) + "a" + strings.Repeat(")", 400), []string{refused + "complex"}},
		{strings.Repeat("x", 200_000), []string{refused + "complex"}},
		{strings.Repeat("if a; then ", 100) + "b" + strings.Repeat("; fi", 100), []string{"a", refused + "complex"}},
	} {
		var r recorder
		rule, reason, ok := shell.Look(test.line, "", &r)
		got := r.programs
		if !ok {
			got = append(got, refused+string(rule))
			if reason == "" {
				t.Errorf("%s: refused without a reason", test.line)
			}
		}
		got = slices.DeleteFunc(got, func(note string) bool { return strings.HasPrefix(note, "printf ") })
		slices.Sort(got)
		want := slices.Sorted(slices.Values(test.want))
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%.80s (-want +got):\n%s", test.line, diff)
		}
	}
}

func TestLookFindsVariablesAndFiles(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		line             string
		assigned, opened []string
	}{
		{`A=1 B=2 ls`, []string{"A", "B"}, nil},
		{`export A=1; declare -r B=2; local C=3`, []string{"A", "B", "C"}, nil},
		{`read A B; printf -v C x; mapfile D; for E in 1; do :; done`, []string{"A", "B", "C", "D", "E", "E"}, nil},
		{`(( A = 1 )); let B=2; : ${C:=3}; exec {D}>f`, []string{"A", "B", "C", "D"}, []string{"> f"}},
		{`unset A; env -u B ls; export -n C; declare +x D`, []string{"-A", "-B", "-C", "-D"}, nil},
		{`env A=1 sudo B=2 ls`, []string{"A", "B"}, nil},
		{`ls > a 2>> b < c &> d >| e`, nil, []string{"> a", "> b", "< c", "> d", "> e"}},
		{`ls 2>&1 >&2 <&3`, nil, nil},
		{`cd d; ls > a; cd ..; ls > b; ls > /c`, nil, []string{"> d/a", "> d/../b", "> /c"}},
		{`(cd d); ls > a`, nil, []string{"> a"}},
		{`cd "$X"; ls > a`, nil, []string{"> …/a"}},
		{`x=f; ls > $x.txt > ~/b`, []string{"x"}, []string{"> f.txt", "> …/b"}},
	} {
		var r recorder
		if rule, reason, ok := shell.Look(test.line, "", &r); !ok {
			t.Errorf("%s: refused: %s: %s", test.line, rule, reason)
		}
		if diff := cmp.Diff(test.assigned, r.assigned); diff != "" {
			t.Errorf("%s: assigned (-want +got):\n%s", test.line, diff)
		}
		if diff := cmp.Diff(test.opened, r.opened); diff != "" {
			t.Errorf("%s: opened (-want +got):\n%s", test.line, diff)
		}
	}
}

// TestLookEndsSoon: whatever is typed, the look takes a bounded number of steps. Without bounds each of these
// takes hours, or all memory.
func TestLookEndsSoon(t *testing.T) {
	t.Parallel()
	for name, line := range map[string]string{
		"loops":        strings.Repeat("while a; do x=$x$y; ", 20) + "b" + strings.Repeat("; done", 20),
		"alternatives": strings.Repeat("if a; then x=$x-1; else x=$x-2; fi; ", 500) + "b $x",
		"braces":       "a " + strings.Repeat("{1,2}", 30),
		"functions":    "f() { f; f; f; f; }; f",
		"eval":         "x='eval \"$x\"'; eval \"$x\"",
		"variables":    strings.Repeat("if a; then "+strings.Repeat("v=1 ", 3)+"; fi; ", 2000),
		"doubling":     "x=a; " + strings.Repeat("x=$x$x; ", 60) + "b $x",
		"traps":        strings.Repeat("trap 'trap \"a\" EXIT' EXIT; ", 1000),
		"pipes":        strings.Repeat("a | ", 20_000) + "a",
		"nested code":  strings.Repeat("bash -c 'bash -c \"a\"'; ", 2000),
	} {
		start := time.Now()
		rule, _, ok := shell.Look(line, "", &recorder{})
		if took := time.Since(start); took > waittest.Limit {
			t.Errorf("%s: the look took %v", name, took)
		}
		t.Logf("%s: refused %v %s", name, !ok, rule)
	}
}

func TestLookLeavesLongCodeInDocumentsAlone(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		line string
		rule shell.Rule
	}{
		{strings.Repeat("true; ", 6_000), shell.Complex},
		{strings.Repeat("true && ", 6_000) + "true", shell.Complex},
		{"echo " + strings.Repeat("$(date) ", 6_000), shell.Complex},
		{strings.Repeat("if [ -f a ]; then cp a b && x=$((x + 1)); fi\n", 500), ""},
		{"cat > a.js <<'EOF'\n" + strings.Repeat("$(a)||b(c);", 6_000) + "\nEOF\n", ""},
	} {
		if rule, reason, _ := shell.Look(test.line, "", &recorder{}); rule != test.rule {
			t.Errorf("%.40s…: rule %q (%s), want %q", test.line, rule, reason, test.rule)
		}
	}
}
