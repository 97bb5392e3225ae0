package registry

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/stellwerk-dev/stellwerk/internal/program"
	"github.com/stellwerk-dev/stellwerk/internal/waittest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// need ends a test that asks a tool which this machine does not have.
func need(t *testing.T, name string) string {
	t.Helper()
	path, err := program.Look(os.Getenv("PATH"), name)
	if err != nil {
		t.Skipf("%s is not on this machine: %v", name, err)
	}
	return path
}

// person is somebody with a home folder and the tools of this machine, and nothing else in the environment.
func person(t *testing.T, variables ...string) (home string, environ []string) {
	t.Helper()
	home = t.TempDir()
	return home, append([]string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "RUSTUP_HOME=" + rustup(t), "npm_config_globalconfig=/dev/null"}, variables...)
}

// rustup is where this machine's cargo finds its real program, if it is one of rustup's.
func rustup(t *testing.T) string {
	t.Helper()
	if set := os.Getenv("RUSTUP_HOME"); set != "" {
		return set
	}
	home, err := os.UserHomeDir()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(home, ".rustup")
}

// write makes a file with the folders above it.
func write(t *testing.T, mode os.FileMode, text string, elements ...string) {
	t.Helper()
	path := filepath.Join(elements...)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}

// standIn is an environment in which a script of the test stands for a tool.
func standIn(t *testing.T, name, script string) []string {
	t.Helper()
	bin := t.TempDir()
	write(t, 0o755, "#!/bin/sh\n"+script, bin, name)
	return []string{"HOME=" + t.TempDir(), "PATH=" + bin + ":/usr/bin:/bin"}
}

// noLogin is a part of what is said of a login.
const noLogin = "agents get no login for "

// expect asks, and compares. No answer may contain a secret of the tests.
func expect(t *testing.T, preset string, environ []string, remark string, hosts ...string) Settings {
	t.Helper()
	got, err := Ask(t.Context(), preset, environ)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got.Hosts, hosts) {
		t.Errorf("%s uses %q, want %q", preset, got.Hosts, hosts)
	}
	if !strings.Contains(got.Remark, remark) || remark == "" && got.Remark != "" {
		t.Errorf("%s: remark %q, want %q", preset, got.Remark, remark)
	}
	if text := fmt.Sprintf("%+v", got); strings.Contains(text, "sesame") || strings.Contains(text, "alice") {
		t.Errorf("%s: a secret is in the answer: %s", preset, text)
	}
	return got.Settings
}

// handsIn compares what is to be found inside: variables, and files by a path that has a dot in it.
func handsIn(t *testing.T, got Settings, want map[string]string) {
	t.Helper()
	all := maps.Clone(got.Variables)
	if all == nil {
		all = map[string]string{}
	}
	maps.Copy(all, got.Files)
	if want == nil {
		want = map[string]string{}
	}
	if diff := cmp.Diff(want, all); diff != "" {
		t.Errorf("inside (-want +got)\n%s", diff)
	}
}

func TestKnown(t *testing.T) {
	if got := Known(); !slices.Equal(got, []string{"cargo", "gem", "go", "npm", "pip", "pnpm", "yarn"}) {
		t.Errorf("known: %q", got)
	}
}

func TestUnknownPreset(t *testing.T) {
	_, err := Ask(t.Context(), "nix", nil)
	if err == nil || !strings.Contains(err.Error(), `"nix"`) || !strings.Contains(err.Error(), "cargo, gem, go") {
		t.Errorf("error: %v", err)
	}
}

func TestMissingTool(t *testing.T) {
	for _, preset := range Known() {
		expect(t, preset, []string{"PATH=" + t.TempDir(), "HOME=" + t.TempDir()}, "is not installed")
	}
}

// A tool that fails may have printed a password.
func TestFailingTool(t *testing.T) {
	for preset, name := range map[string]string{"go": "go", "npm": "npm", "pnpm": "pnpm", "yarn": "yarn", "gem": "gem", "pip": "python3", "cargo": "cargo"} {
		expect(t, preset, standIn(t, name, "echo https://alice:sesame@mirror.example.com; echo sesame >&2; exit 3"), "exit status 3")
	}
}

func TestAnswerThatCannotBeRead(t *testing.T) {
	for _, preset := range []string{"go", "npm", "pnpm", "yarn"} {
		expect(t, preset, standIn(t, preset, "echo alice:sesame"), "its answer cannot be read")
	}
}

func TestCancelledWithEverythingItStarted(t *testing.T) {
	fifo := filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	environ := standIn(t, "npm", `(echo up; exec sleep 3600) > "$FIFO" & wait`)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan error, 1)
	go func() {
		_, err := Ask(ctx, "npm", append(environ, "FIFO="+fifo))
		ended <- err
	}()
	held, err := os.Open(fifo)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = held.Close() }()
	if err := held.SetReadDeadline(waittest.Deadline()); err != nil {
		t.Fatal(err)
	}
	reader := bufio.NewReader(held)
	if line, err := reader.ReadString('\n'); err != nil || line != "up\n" {
		t.Fatalf("%q, %v", line, err)
	}
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "npm") {
		t.Errorf("error: %v", err)
	}
	if rest, err := io.ReadAll(reader); err != nil || len(rest) > 0 { // ends when nobody holds it open
		t.Errorf("%q, %v", rest, err)
	}
}

func TestSlowTool(t *testing.T) {
	got, err := askWithin(t.Context(), 50*time.Millisecond, "npm", standIn(t, "npm", "exec sleep 3600"))
	if err != nil || len(got.Hosts) > 0 || !strings.Contains(got.Remark, "did not say within 50ms") || !strings.Contains(got.Remark, "network.allow") {
		t.Errorf("%+v, %v", got, err)
	}
}
