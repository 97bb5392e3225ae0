package e2e

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/stellwerk-dev/stellwerk/internal/waittest"
)

// modelKey is made up: nobody is asked but the scripted model.
const modelKey = "sk-ant-made-up-0123456789abcdef"

// sessions are what scenarios of the real Claude Code with the plugin say. A
// session has a name; its id is in the variable of that name.
//
//	model FILE…                           plays a scenario to Claude Code from now on; calls are recorded in model.jsonl. What
//	                                      $MESSENGER names is the part of a session that does as it is told
//	session NAME PROMPT [ARG…]
//	                                      says PROMPT in a session without a terminal, which begins or goes on; the stream is
//	                                      printed and added to NAME.jsonl
//	stands WANT                           waits until the latest run stands so: STATUS STAGE.ROUND, a regular expression
//	transcript NAME                       prints what Claude Code itself recorded of a session
//	terminal NAME start [ARG…]            begins a session in a terminal, or goes on with it
//	terminal NAME type TEXT               types a line
//	terminal NAME key KEY…                presses keys, as tmux names them
//	terminal NAME rung                    waits until the terminal's bell was rung
//	terminal NAME see REGEXP              waits until the screen matches
//	terminal NAME show                    prints the screen
//	terminal NAME end                     closes the terminal
func sessions() map[string]func(*testscript.TestScript, bool, []string) {
	return map[string]func(*testscript.TestScript, bool, []string){
		"model":      plain(model),
		"session":    plain(session),
		"stands":     plain(stands),
		"transcript": plain(transcript),
		"terminal":   plain(terminal),
	}
}

// talks is the key of a scenario's sessions that have begun, by name.
type talks struct{}

// model starts the scripted model and points Claude Code to it. The files are
// one scenario, read one after the other.
func model(ts *testscript.TestScript, args []string) {
	if len(args) == 0 {
		ts.Fatalf("usage: model FILE…")
	}
	var scenario strings.Builder
	for _, file := range args {
		scenario.WriteString(ts.ReadFile(file))
	}
	work := ts.Getenv("WORK")
	path := filepath.Join(work, "scenario.yaml")
	ts.Check(os.WriteFile(path, []byte(scenario.String()), 0o600))
	cmd := command(ts, []string{"stellwerk", "scripted-model", path, "--record", filepath.Join(work, "model.jsonl")})
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.StdoutPipe()
	ts.Check(err)
	ts.Check(cmd.Start())
	ts.Defer(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM) // it may have ended by itself
		if err := cmd.Wait(); err != nil {
			ts.Logf("scripted model: %v: %s", err, &stderr)
		}
	})
	address := make([]byte, 64)
	n, err := out.Read(address)
	if err != nil {
		ts.Fatalf("the scripted model does not say its address: %v: %s", err, &stderr)
	}
	ts.Setenv("ANTHROPIC_BASE_URL", strings.TrimSpace(string(address[:n])))
}

func session(ts *testscript.TestScript, args []string) {
	if len(args) < 2 {
		ts.Fatalf("usage: session NAME PROMPT [ARG…]")
	}
	argv := append([]string{"-p", args[1], "--output-format", "stream-json", "--verbose"}, claudeArgs(ts, args[0])...)
	ctx, cancel := context.WithTimeout(context.Background(), waittest.Limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, ts.Getenv("CLAUDE_BINARY"), append(argv, args[2:]...)...)
	cmd.Dir, cmd.Env = ts.MkAbs("."), claudeEnv(ts)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = waittest.Limit // for who it leaves behind
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if _, ended := errors.AsType[*exec.ExitError](err); err != nil && !ended {
		ts.Fatalf("%v", err)
	}
	keep(ts, args[0], stdout.Bytes())
	_, err = ts.Stdout().Write(stdout.Bytes())
	ts.Check(err)
	if code := cmd.ProcessState.ExitCode(); ctx.Err() != nil || code != 0 {
		ts.Fatalf("session %s: exit code %d (%v): %s", args[0], code, ctx.Err(), &stderr)
	}
}

// keep adds the stream of a session to its file.
func keep(ts *testscript.TestScript, name string, stream []byte) {
	f, err := os.OpenFile(filepath.Join(ts.Getenv("WORK"), name+".jsonl"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	ts.Check(err)
	_, err = f.Write(stream)
	ts.Check(errors.Join(err, f.Close()))
}

// claudeArgs names the session, begins or resumes it, and adds the plugin.
func claudeArgs(ts *testscript.TestScript, name string) []string {
	ts.Check(settle(ts))
	begun := ts.Value(talks{}).(map[string]bool)
	verb := "--resume"
	if !begun[name] {
		verb = "--session-id"
		ts.Setenv(name, newSession())
	}
	begun[name] = true
	return []string{verb, ts.Getenv(name), "--plugin-dir", ts.Getenv("PLUGIN"), "--permission-mode", cmp.Or(ts.Getenv("MODE"), "default")}
}

// newSession is a random UUID, as Claude Code asks for.
func newSession() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// claudeEnv is the whole environment of Claude Code: the scenario's own, a
// made-up key, and no network but the scripted model.
func claudeEnv(ts *testscript.TestScript) []string {
	env := []string{
		"ANTHROPIC_API_KEY=" + modelKey, "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_AUTOUPDATER=1",
		"TERM=xterm-256color", raceOptions,
	}
	for _, name := range []string{
		"HOME", "PATH", "LANG", "TZ", "WORK", "TMPDIR", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "GIT_CONFIG_NOSYSTEM",
		"STELLWERK_STATE", "STELLWERK_NOTIFY", "STELLWERK_ISOLATION", "ANTHROPIC_BASE_URL", "STELLWERK_STOP_WAIT", "STELLWERK_REWAKE_WAIT",
		"CLAUDE_CODE_AUTO_COMPACT_WINDOW", "CLAUDE_CODE_FORK_SUBAGENT",
	} {
		if value := ts.Getenv(name); value != "" {
			env = append(env, name+"="+value)
		}
	}
	return env
}

// settle answers in advance what Claude Code asks a person who starts it for the
// first time in a folder.
func settle(ts *testscript.TestScript) error {
	path := filepath.Join(ts.Getenv("HOME"), ".claude.json")
	if _, err := os.Lstat(path); err == nil {
		return nil
	}
	yes := map[string]bool{"hasTrustDialogAccepted": true, "hasCompletedProjectOnboarding": true}
	data, err := json.Marshal(map[string]any{
		"hasCompletedOnboarding": true, "theme": "dark",
		"customApiKeyResponses": map[string]any{"approved": []string{modelKey[len(modelKey)-20:]}, "rejected": []string{}},
		"projects":              map[string]any{ts.MkAbs("."): yes},
	})
	return errors.Join(err, os.WriteFile(path, data, 0o600))
}

func transcript(ts *testscript.TestScript, args []string) {
	if len(args) != 1 {
		ts.Fatalf("usage: transcript NAME")
	}
	pattern := filepath.Join(ts.Getenv("HOME"), ".claude", "projects", "*", ts.Getenv(args[0])+".jsonl")
	found, err := filepath.Glob(pattern)
	ts.Check(err)
	if len(found) != 1 {
		ts.Fatalf("%d transcripts are %s", len(found), pattern)
	}
	_, err = fmt.Fprint(ts.Stdout(), ts.ReadFile(found[0]))
	ts.Check(err)
}

func stands(ts *testscript.TestScript, args []string) {
	if len(args) != 1 {
		ts.Fatalf("usage: stands WANT")
	}
	want, err := regexp.Compile("^(?:" + args[0] + ")$")
	ts.Check(err)
	var got string
	if !waittest.Until(func() bool {
		got = standing(ts)
		return want.MatchString(got)
	}) {
		ts.Fatalf("not within %s: the run is %s, not %s%s", waittest.Limit, got, args[0], shown(ts))
	}
}

// standing is status, stage and round of the latest run, or what went wrong. It
// asks the engine that is there, and starts none.
func standing(ts *testscript.TestScript) string {
	state := ts.Getenv("STELLWERK_STATE")
	token, err := os.ReadFile(filepath.Join(state, "person.token"))
	if err != nil {
		return err.Error()
	}
	get := func(path, expression string) (string, error) {
		_, answer, err := ask(state, strings.TrimSpace(string(token)), http.MethodGet, path, "")
		if err != nil {
			return "", err
		}
		return query(string(answer), expression, false)
	}
	id, err := get("/v1/runs", ".runs[0].id // error(\"there is no run\")")
	if err != nil {
		return err.Error()
	}
	stand, err := get("/v1/runs/"+id, `. as $run | "\(.status) \(.stage).\([.stages[] | select(.id == $run.stage) | .round][0])"`)
	if err != nil {
		return err.Error()
	}
	return stand
}
