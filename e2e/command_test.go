package e2e

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/itchyny/gojq"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/stellwerk-dev/stellwerk/internal/waittest"
)

// commands are what scenarios can say besides testscript's own words.
//
//	example DOC DIR                    writes the files that a page of docs/ shows
//	repo DIR                           makes DIR a git repository with an identity and commits all of it to main
//	exit N CMD…                        runs a command that must end with exit code N
//	waitfor [-see RE] CMD…             repeats a command until it succeeds (and its output matches)
//	jsonq [-lines] FILE EXPR [WANT]    evaluates jq on FILE (stdout and stderr too); the result must be WANT, or true
//	jsonq -env NAME FILE EXPR          puts the result into a variable
//	remember DIR                       notes everything in DIR, .git included
//	nochange [-published] DIR          everything is as it was remembered; -published leaves out what a new branch changes
//	end [-SIGNAL] SUBCOMMAND           signals this scenario's `stellwerk SUBCOMMAND` (TERM) and waits until it is gone
//	argv TEXT                          a process of this scenario has TEXT in its command line; negated, none has
//	upgrade VERSION                    goes on with the state folder of an earlier version; its repositories are in $UPGRADE
//	advised RUN VERB…                  types each command that the run's status suggests, and puts everything back after it
//	request METHOD PATH [JSON]         asks the engine over its socket; -token TOKEN instead of the person's
func commands() map[string]func(*testscript.TestScript, bool, []string) {
	all := map[string]func(*testscript.TestScript, bool, []string){
		"example":  plain(example),
		"repo":     plain(repo),
		"exit":     plain(exitCode),
		"waitfor":  plain(waitfor),
		"jsonq":    plain(jsonq),
		"remember": plain(remember),
		"nochange": plain(nochange),
		"end":      plain(end),
		"request":  plain(request),
		"upgrade":  plain(upgrade),
		"advised":  plain(advised),
		"argv":     argv,
	}
	maps.Copy(all, badDays())
	maps.Copy(all, sessions())
	maps.Copy(all, forgeCommands())
	maps.Copy(all, giteas())
	maps.Copy(all, servers())
	maps.Copy(all, telemetries())
	maps.Copy(all, noticing())
	maps.Copy(all, sharedStores())
	maps.Copy(all, disasters())
	return all
}

// plain is a command that cannot be negated.
func plain(run func(*testscript.TestScript, []string)) func(*testscript.TestScript, bool, []string) {
	return func(ts *testscript.TestScript, neg bool, args []string) {
		if neg {
			ts.Fatalf("this command cannot be negated")
		}
		run(ts, args)
	}
}

func repo(ts *testscript.TestScript, args []string) {
	if len(args) != 1 {
		ts.Fatalf("usage: repo DIR")
	}
	dir := ts.MkAbs(args[0])
	ts.Check(os.MkdirAll(dir, 0o755))
	for _, git := range [][]string{
		{"init", "--quiet", "--initial-branch", "main"},
		{"config", "user.name", "Ada Example"},
		{"config", "user.email", "ada@example.org"},
		{"add", "--all"},
		{"commit", "--quiet", "--allow-empty", "--message", "first"},
	} {
		ts.Check(ts.Exec("git", append([]string{"-C", dir}, git...)...))
	}
}

// example writes each file of a page that is shown as its name on a line, then
// its content in a fence: what a reader would do by hand.
func example(ts *testscript.TestScript, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: example DOC DIR")
	}
	page, err := os.ReadFile(filepath.Join(ts.Getenv("DOCS"), args[0]))
	ts.Check(err)
	shown := regexp.MustCompile("(?ms)^\\**`([^`\n]+)`\\**:?\n+```[a-z]*\n(.*?)^```$")
	files := shown.FindAllStringSubmatch(string(page), -1)
	if len(files) == 0 {
		ts.Fatalf("%s shows no files", args[0])
	}
	for _, f := range files {
		path := filepath.Join(ts.MkAbs(args[1]), f[1])
		ts.Check(os.MkdirAll(filepath.Dir(path), 0o755))
		ts.Check(os.WriteFile(path, []byte(f[2]), 0o644))
	}
}

func exitCode(ts *testscript.TestScript, args []string) {
	if len(args) < 2 {
		ts.Fatalf("usage: exit N CMD…")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var ended *exec.ExitError
		if !errors.As(err, &ended) {
			ts.Fatalf("%v", err)
		}
		got = ended.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit code %d, not %d", got, want)
	}
}

// variables is the key of the names in a scenario's environment.
type variables struct{}

func names(vars []string) []string {
	var all []string
	for _, v := range vars {
		name, _, _ := strings.Cut(v, "=")
		all = append(all, name)
	}
	return all
}

func waitfor(ts *testscript.TestScript, args []string) {
	see := regexp.MustCompile("")
	if len(args) > 1 && args[0] == "-see" {
		var err error
		see, err = regexp.Compile("(?m)" + args[1])
		ts.Check(err)
		args = args[2:]
	}
	if len(args) == 0 {
		ts.Fatalf("usage: waitfor [-see REGEXP] CMD…")
	}
	var stdout, stderr bytes.Buffer
	var err error
	if !waittest.Until(func() bool {
		stdout.Reset()
		stderr.Reset()
		cmd := command(ts, args)
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		err = cmd.Run()
		return err == nil && see.Match(stdout.Bytes())
	}) {
		ts.Fatalf("not within %s (%v): %s\n[stdout]\n%s[stderr]\n%s", waittest.Limit, err, strings.Join(args, " "), &stdout, &stderr)
	}
}

// command prepares a command in the scenario's folder and environment, without
// a trace in its log.
func command(ts *testscript.TestScript, args []string) *exec.Cmd {
	program := args[0]
	for _, dir := range filepath.SplitList(ts.Getenv("PATH")) {
		if path := filepath.Join(dir, program); filepath.Base(program) == program && executable(path) {
			program = path
			break
		}
	}
	cmd := exec.Command(program, args[1:]...)
	cmd.Dir = ts.MkAbs(".")
	for _, name := range ts.Value(variables{}).([]string) {
		cmd.Env = append(cmd.Env, name+"="+ts.Getenv(name))
	}
	return cmd
}

func executable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0
}

func jsonq(ts *testscript.TestScript, args []string) {
	lines, variable := false, ""
	for len(args) > 0 && strings.HasPrefix(args[0], "-") {
		switch {
		case args[0] == "-lines":
			lines, args = true, args[1:]
		case args[0] == "-env" && len(args) > 1:
			variable, args = args[1], args[2:]
		default:
			ts.Fatalf("unknown flag %s", args[0])
		}
	}
	if len(args) < 2 || len(args) > 3 {
		ts.Fatalf("usage: jsonq [-lines] [-env NAME] FILE EXPR [WANT]")
	}
	got, err := query(ts.ReadFile(args[0]), args[1], lines)
	if err != nil {
		ts.Fatalf("%v", err)
	}
	want := "true"
	if len(args) == 3 {
		want = args[2]
	}
	switch {
	case variable != "":
		ts.Setenv(variable, got)
	case got != want:
		ts.Fatalf("%s is %s, not %s", args[1], got, want)
	}
}

// query is the first result of a jq expression: a text as it is, anything else
// as JSON.
func query(text, expression string, lines bool) (string, error) {
	var input any
	if lines {
		text = "[" + strings.ReplaceAll(strings.TrimSpace(text), "\n", ",") + "]"
	}
	if err := json.Unmarshal([]byte(text), &input); err != nil {
		return "", fmt.Errorf("not JSON: %w", err)
	}
	parsed, err := gojq.Parse(expression)
	if err != nil {
		return "", fmt.Errorf("%s: %w", expression, err)
	}
	result, ok := parsed.Run(input).Next()
	if !ok {
		return "", nil
	}
	if err, failed := result.(error); failed {
		return "", fmt.Errorf("%s: %w", expression, err)
	}
	if s, isText := result.(string); isText {
		return s, nil
	}
	out, err := gojq.Marshal(result)
	return string(out), err
}
