package terminal_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/cli/terminal"
)

func TestAPipeIsPlain(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _, _ = r.Close(), w.Close() }()
	env := func(name string) string { return map[string]string{"TERM": "xterm", "LANG": "C"}[name] }
	c := terminal.Detect(r, w, w, env)
	if c.Ask || c.Live || c.Style.Colour || c.Style.Unicode || c.Width() != 0 {
		t.Errorf("%+v", c)
	}
}

func TestLocale(t *testing.T) {
	for _, c := range []struct {
		env  map[string]string
		want bool
	}{
		{nil, true},
		{map[string]string{"LANG": "de_DE.UTF-8"}, true},
		{map[string]string{"LANG": "en_US.utf8"}, true},
		{map[string]string{"LANG": "de_DE.UTF-8", "LC_ALL": "C"}, false},
		{map[string]string{"LC_CTYPE": "POSIX"}, false},
	} {
		got := terminal.Detect(os.Stdin, os.Stdout, os.Stderr, func(n string) string { return c.env[n] }).Style.Unicode
		if got != c.want {
			t.Errorf("%v: %v", c.env, got)
		}
	}
}

func TestBlockDrawsOverItself(t *testing.T) {
	var out strings.Builder
	b := terminal.Block{Out: &out}
	for _, step := range []func() error{
		func() error { return b.Draw([]string{"one", "two"}) },
		func() error { return b.Print("kept\n") },
		func() error { return b.Draw([]string{"three"}) },
		b.Clear,
		b.Clear,
	} {
		if err := step(); err != nil {
			t.Fatal(err)
		}
	}
	want := "one\ntwo\n" + "\x1b[2A\r\x1b[Jkept\n" + "three\n" + "\x1b[1A\r\x1b[J"
	if out.String() != want {
		t.Errorf("%q", out.String())
	}
}

func TestFitCountsColumnsNotBytes(t *testing.T) {
	s := terminal.Style{Unicode: true, Colour: true}
	red := s.Bad("日本語のテスト")
	if !strings.Contains(red, "\x1b[") {
		t.Fatalf("%q has no colour", red)
	}
	if got := terminal.Width(s.Fit(red, 6)); got > 6 {
		t.Errorf("%d columns", got)
	}
	if got := (terminal.Style{}).Fit("abcdef", 4); got != "abc~" {
		t.Errorf("%q", got)
	}
	if got := (terminal.Style{}).Bad("x"); got != "x" {
		t.Errorf("%q", got)
	}
}
