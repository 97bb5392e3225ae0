package shim_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/stellwerk-dev/stellwerk/internal/agent"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/sandbox"
	"github.com/stellwerk-dev/stellwerk/internal/shim"
	"github.com/stellwerk-dev/stellwerk/internal/shim/shimtest"
	"github.com/stellwerk-dev/stellwerk/internal/tooltest"
)

func TestMain(m *testing.M) {
	shimtest.Intercept()
	shim.InterceptInstall()
	goleak.VerifyTestMain(m)
}

// eachKind runs a test under every isolation of this machine.
func eachKind(t *testing.T, test func(t *testing.T, kind sandbox.Kind)) {
	t.Helper()
	for _, kind := range shimtest.Kinds(t) {
		t.Run(string(kind), func(t *testing.T) { test(t, kind) })
	}
}

func onlySandbox(t *testing.T) {
	t.Helper()
	if kind, reason := sandbox.Detect(t.Context()); kind != sandbox.Sandbox {
		tooltest.Unisolated(t, reason)
	}
}

func TestWholeAttempt(t *testing.T) {
	eachKind(t, func(t *testing.T, kind sandbox.Kind) {
		a := shimtest.New(t, kind, `
			cat; cat "$STELLWERK_IN/plan.md"; echo; echo oops >&2
			echo new > file.txt; git add file.txt; git commit -qm "mine"; echo more > uncommitted.txt
			echo '{"status":"done"}' > "$STELLWERK_OUT/report.json"
			mkdir "$TMPDIR/deep"; echo left > "$TMPDIR/deep/file"
			echo "finished"; exit 3`)
		exit := a.Run(t)
		if exit.Reason != shim.ReasonExited || exit.ExitCode != 3 || exit.Signal != "" || exit.Isolation != kind || exit.Attempt != a.Spec.Attempt {
			t.Errorf("exit is %+v", exit)
		}
		if written := len("the prompt\nthe plan\nfinished\n") + len("oops\n"); exit.OutputBytes != int64(written) || exit.OutputDropped != 0 || exit.EndedAt.Before(exit.StartedAt) || exit.StartedAt.IsZero() {
			t.Errorf("it wrote %d bytes, of which %d are not kept, from %s to %s", exit.OutputBytes, exit.OutputDropped, exit.StartedAt, exit.EndedAt)
		}
		if exit.Outcome.OK || exit.Outcome.Summary != "finished" || exit.Detail != "" {
			t.Errorf("outcome is %+v, detail %q", exit.Outcome, exit.Detail)
		}
		if got := a.Said(t, agent.KindText); !slices.Equal(got, []string{"the prompt", "the plan", "finished"}) {
			t.Errorf("it said %q", got)
		}
		if got := a.Said(t, agent.KindStderr); !slices.Equal(got, []string{"oops"}) {
			t.Errorf("standard error is %q", got)
		}
		if len(exit.Outputs) != 1 || exit.Outputs[0].Name != "report.json" || exit.Outputs[0].Size != 18 || len(exit.Outputs[0].SHA256) != 64 {
			t.Errorf("outputs are %+v", exit.Outputs)
		}
		if !exit.HandIn.Checkpoint || a.BundleFile(t, exit, "file.txt") != "new" || a.BundleFile(t, exit, "uncommitted.txt") != "more" {
			t.Errorf("hand-in is %+v", exit.HandIn)
		}
		if state, err := shim.Look(a.Folder); err != nil || state != shim.StateExited {
			t.Errorf("state is %s, %v", state, err)
		}
		if _, err := os.Stat(filepath.Join(a.Folder, "tmp")); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("its temporary files are left: %v", err)
		}
	})
}

func TestNothingDoneIsAnEmptyHandIn(t *testing.T) {
	exit := shimtest.New(t, sandbox.None, "true").Run(t)
	if exit.HandIn == nil || !exit.HandIn.Empty || exit.HandIn.Bundle != "" || exit.HandIn.Error != "" {
		t.Errorf("hand-in is %+v", exit.HandIn)
	}
}

func TestEnvironmentIsBuiltFromScratch(t *testing.T) {
	eachKind(t, func(t *testing.T, kind sandbox.Kind) {
		tools := t.TempDir()
		a := shimtest.New(t, kind, `env; echo "tmp: $(cd "$TMPDIR" && pwd)"; ls -A "$HOME"`, func(s *shim.Spec) {
			s.Tools, s.Env = tools, map[string]string{"FROM_SPEC": "1"}
		})
		a.Run(t, "AWS_SECRET_ACCESS_KEY=leak", "STELLWERK_RUN=forged", "HOME=/root")
		said := a.Said(t, agent.KindText)
		for _, want := range []string{
			"FROM_SPEC=1", "STELLWERK_RUN=r1", "STELLWERK_ATTEMPT=" + a.Spec.Attempt, "STELLWERK_BRANCH=feature/x",
			"HOME=" + filepath.Join(a.Folder, "home"), "GIT_AUTHOR_NAME=Stellwerk",
		} {
			if !slices.Contains(said, want) {
				t.Errorf("no %s in %q", want, said)
			}
		}
		for _, line := range said {
			if strings.Contains(line, "leak") {
				t.Errorf("the engine's environment shows: %s", line)
			}
			if path, ok := strings.CutPrefix(line, "PATH="); ok && !strings.HasPrefix(path, tools+":") {
				t.Errorf("PATH does not begin with the tools: %s", path)
			}
		}
	})
}

func TestSandboxHidesStateAndHome(t *testing.T) {
	onlySandbox(t)
	home, err := os.UserHomeDir()
	if err != nil {
		t.Fatal(err)
	}
	a := shimtest.New(t, sandbox.Sandbox, `
		try() { if "$@" 2>/dev/null; then echo "POSSIBLE: $*"; fi; }
		state="${STELLWERK_OUT%/attempts/*}"; folder="${STELLWERK_OUT%/out}"
		try cat "$state/stellwerk.db"; try cat "$folder/spec.json"; try cat "$folder/lock"
		try touch "$STELLWERK_IN/x"; try rm "$STELLWERK_IN/plan.md"; try sh -c 'echo x > "$STELLWERK_IN/plan.md"'
		try ls "`+home+`"; try cat /etc/shadow; try sh -c 'echo x > "$STELLWERK_PROMPT"'
		try rmdir "$PWD"; echo "$PATH"; echo forged > "$folder/exit.json" 2>/dev/null; echo ok`)
	exit := a.Run(t)
	said := a.Said(t, agent.KindText)
	if len(said) != 2 || said[1] != "ok" || strings.Contains(said[0], home) || exit.ExitCode != 0 {
		t.Errorf("it said %q", said)
	}
}

func TestFloodIsCappedAndDrained(t *testing.T) {
	kinds := shimtest.Kinds(t)
	a := shimtest.New(t, kinds[len(kinds)-1], `yes "$(printf %0200d 7)" | head -c 1073741824; echo; echo the end`,
		func(s *shim.Spec) { s.OutputBytes = 1 << 20 })
	cmd := a.Command(t, shimtest.RoleWorker)
	begin := time.Now()
	needed := peakMemory(t, cmd)
	exit := a.Exit(t)
	if exit.OutputBytes < 1<<30 || exit.OutputDropped < 1<<29 || exit.Outcome.Summary != "the end" {
		t.Errorf("exit is %+v", exit)
	}
	if notes := a.Said(t, agent.KindNotice); len(notes) != 1 || !strings.Contains(notes[0], "bytes were dropped here") {
		t.Errorf("notices are %q", notes)
	}
	info, err := os.Stat(filepath.Join(a.Folder, "out.jsonl"))
	if err != nil || info.Size() > 8<<20 {
		t.Errorf("the transcript has %d bytes, %v", info.Size(), err)
	}
	if needed > 256<<10 || needed == 0 && runtime.GOOS == "linux" {
		t.Errorf("the worker needed %d KB", needed)
	}
	t.Logf("1 GiB in %s, worker %d KB", time.Since(begin).Round(time.Millisecond), needed)
}

// peakMemory runs a command and returns the most memory it had, in KB; 0 where the system does not tell. What the kernel
// tells of a process that ended includes the memory of the one that started it, which is this test.
func peakMemory(t *testing.T, cmd *exec.Cmd) (peak int) {
	t.Helper()
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	look := time.NewTicker(10 * time.Millisecond)
	defer look.Stop()
	for {
		select {
		case err := <-ended:
			if err != nil {
				t.Fatalf("%v: %s", err, &out)
			}
			return peak
		case <-look.C:
			status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", cmd.Process.Pid)) // it may have ended
			if _, line, ok := strings.Cut(string(status), "VmHWM:"); ok {
				now := 0
				if _, err := fmt.Sscan(line, &now); err != nil {
					t.Error(err)
				}
				peak = max(peak, now)
			}
		}
	}
}

// TestEachStreamHasItsShare: standard error an eighth of what standard output has; both count.
func TestEachStreamHasItsShare(t *testing.T) {
	a := shimtest.New(t, sandbox.None, `yes x | head -n 5000; yes y | head -n 5000 >&2`, func(s *shim.Spec) { s.OutputBytes = 80 })
	exit := a.Run(t)
	if out, err := len(a.Said(t, agent.KindText)), len(a.Said(t, agent.KindStderr)); out != 40+1000 || err != 5+1000 {
		t.Errorf("%d lines of standard output are kept, and %d of standard error", out, err)
	}
	if exit.OutputBytes != 20000 || exit.OutputDropped != 20000-2*(1040+1005) {
		t.Errorf("%d bytes of %d were dropped", exit.OutputDropped, exit.OutputBytes)
	}
	want := []string{"standard error was too long; 7990 bytes were dropped here", "standard output was too long; 7920 bytes were dropped here"}
	if notes := slices.Sorted(slices.Values(a.Said(t, agent.KindNotice))); !slices.Equal(notes, want) {
		t.Errorf("notices are %q", notes)
	}
}

// TestAProgramOutsideTheWalls will not be there the next time either.
func TestAProgramOutsideTheWalls(t *testing.T) {
	onlySandbox(t)
	a := shimtest.New(t, sandbox.Sandbox, "", func(s *shim.Spec) {
		s.Job.Command = []string{filepath.Join(s.Masked[0], "tool")}
		shimtest.Write(t, s.Job.Command[0], "#!/bin/sh\n")
		if err := os.Chmod(s.Job.Command[0], 0o755); err != nil {
			t.Fatal(err)
		}
	})
	if exit := a.Run(t); exit.Reason != shim.ReasonStartFailed || !exit.Hopeless || !strings.Contains(exit.Detail, sandbox.ErrNotVisible.Error()) {
		t.Errorf("exit is %+v", exit)
	}
}

// TestAnEndThatCannotBeWritten is an error of the shim.
func TestAnEndThatCannotBeWritten(t *testing.T) {
	a := shimtest.New(t, sandbox.None, `mkdir -p "${STELLWERK_OUT%/out}/exit.json/x"`)
	if out, err := a.Command(t, shimtest.RoleWorker).CombinedOutput(); err == nil || !strings.Contains(string(out), "exit.json") {
		t.Errorf("the shim ended with %v: %s", err, out)
	}
}

func TestLongLineIsCut(t *testing.T) {
	a := shimtest.New(t, sandbox.None, `head -c 20000000 /dev/zero | tr '\0' x; echo; echo the end`)
	exit := a.Run(t)
	said, notes := a.Said(t, agent.KindText), a.Said(t, agent.KindNotice)
	if len(said) != 2 || len(said[0]) != 4<<20 || said[1] != "the end" {
		t.Errorf("it said %d lines", len(said))
	}
	dropped := int64(20000000 - 4<<20)
	if exit.OutputDropped != dropped || len(notes) != 1 || !strings.Contains(notes[0], strconv.FormatInt(dropped, 10)) {
		t.Errorf("dropped %d, notices %q", exit.OutputDropped, notes)
	}
}

func TestWorkspaceDeleted(t *testing.T) {
	eachKind(t, func(t *testing.T, kind sandbox.Kind) {
		a := shimtest.New(t, kind, `echo r > "$STELLWERK_OUT/r"; rm -rf "$PWD" 2>/dev/null; exit 0`)
		exit := a.Run(t)
		if exit.Reason != shim.ReasonExited || exit.HandIn == nil || exit.HandIn.Error == "" || len(exit.Outputs) != 1 {
			t.Errorf("exit is %+v, hand-in %+v", exit, exit.HandIn)
		}
	})
}

func TestStartFailures(t *testing.T) {
	for name, c := range map[string]struct {
		change   func(*shim.Spec)
		want     string
		hopeless bool
	}{
		"unknown agent":   {func(s *shim.Spec) { s.Agent = "gone" }, `no agent "gone"`, false},
		"missing program": {func(s *shim.Spec) { s.Job.Command = []string{"no-such-program"} }, "program not found", true},
		"missing secret":  {func(s *shim.Spec) { s.Secrets = []string{"ABSENT_TOKEN"} }, "ABSENT_TOKEN", false},
		"missing input":   {func(s *shim.Spec) { s.Job.Prompt = "/missing/prompt" }, "no such file", false},
		"no timeout":      {func(s *shim.Spec) { s.Timeout = 0 }, "no timeout", false},
		"no isolation":    {func(s *shim.Spec) { s.Isolation = "" }, "no isolation", false},
		"odd result kind": {func(s *shim.Spec) { s.Writes = "all" }, "none of code", false},
	} {
		t.Run(name, func(t *testing.T) {
			exit := shimtest.New(t, sandbox.None, "true", c.change).Run(t)
			if exit.Reason != shim.ReasonStartFailed || !strings.Contains(exit.Detail, c.want) || exit.ExitCode != -1 || exit.HandIn != nil || exit.Hopeless != c.hopeless {
				t.Errorf("exit is %+v", exit)
			}
		})
	}
	t.Run("garbage", func(t *testing.T) {
		a := shimtest.New(t, sandbox.None, "true")
		shimtest.Write(t, filepath.Join(a.Folder, "spec.json"), `{"proto":1,"PROTO":2}`)
		if exit := a.Run(t); exit.Reason != shim.ReasonStartFailed {
			t.Errorf("exit is %+v", exit)
		}
	})
}

func TestRunsOnce(t *testing.T) {
	a := shimtest.New(t, sandbox.None, `echo hello; echo run >> "$STELLWERK_OUT/runs"; while [ ! -e "$STELLWERK_OUT/go" ]; do sleep 0.05; done`)
	first := a.Command(t, shimtest.RoleWorker)
	if err := first.Start(); err != nil {
		t.Fatal(err)
	}
	a.AwaitOutput(t, "runs")
	shimtest.Await(t, "its first words", func() bool { return slices.Equal(a.Said(t, agent.KindText), []string{"hello"}) })
	again := func() {
		t.Helper()
		out, err := a.Command(t, shimtest.RoleWorker).CombinedOutput()
		if err == nil || !strings.Contains(string(out), shim.ErrAlreadyStarted.Error()) {
			t.Errorf("the second start: %v, %s", err, out)
		}
	}
	again()
	shimtest.Write(t, filepath.Join(a.Spec.Job.Out, "go"), "")
	if err := first.Wait(); err != nil {
		t.Fatal(err)
	}
	again()
	if runs, err := os.ReadFile(filepath.Join(a.Spec.Job.Out, "runs")); err != nil || string(runs) != "run\n" {
		t.Errorf("it ran %q, %v", runs, err)
	}
}

func TestSecretsAreRedacted(t *testing.T) {
	const secret = "s3cr3t-0123456789-abcdef"
	// The long line is cut in the middle of the secret.
	a := shimtest.New(t, sandbox.None, `
		echo "token $TOKEN"; echo "err $TOKEN" >&2
		head -c 4194294 /dev/zero | tr '\0' x; echo "$TOKEN and more"
		echo x > "$STELLWERK_OUT/name-$TOKEN"; echo "bye $TOKEN"`,
		func(s *shim.Spec) { s.Secrets, s.Writes = []string{"TOKEN"}, core.WritesArtifacts })
	exit := a.Run(t, "TOKEN="+secret)
	if exit.Outcome.Summary != "bye "+shimtest.Redacted || len(exit.Refused) != 1 {
		t.Errorf("exit is %+v", exit)
	}
	if said := a.Said(t, agent.KindText); len(said) != 3 || said[0] != "token "+shimtest.Redacted {
		t.Errorf("it said %d lines", len(said))
	}
	for _, name := range []string{"out.jsonl", "exit.json", "spec.json", "started"} {
		data, err := os.ReadFile(filepath.Join(a.Folder, name))
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(data, []byte(secret[:8])) {
			t.Errorf("the secret is in %s", name)
		}
	}
}

func TestSecretOverSeveralLinesIsRedacted(t *testing.T) {
	const secret = "-- begin --\nfirst-half-of-it\nsecond-half-of-it\n-- end --"
	a := shimtest.New(t, sandbox.None, `echo before; echo "$KEY"; echo "$KEY" >&2; echo "$KEY" > "$STELLWERK_OUT/key"; echo after`,
		func(s *shim.Spec) { s.Secrets, s.Writes = []string{"KEY"}, core.WritesArtifacts })
	exit := a.Run(t, "KEY="+secret)
	if said := a.Said(t, agent.KindText); !slices.Equal(said, []string{"before", shimtest.Redacted, "after"}) {
		t.Errorf("it said %q", said)
	}
	if said := a.Said(t, agent.KindStderr); !slices.Equal(said, []string{shimtest.Redacted}) {
		t.Errorf("standard error is %q", said)
	}
	if key, err := os.ReadFile(filepath.Join(a.Spec.Job.Out, "key")); err != nil || string(key) != shimtest.Redacted+"\n" {
		t.Errorf("the output is %q, %v", key, err)
	}
	if len(exit.Outputs) != 1 || exit.Outputs[0].Size != int64(len(shimtest.Redacted)+1) {
		t.Errorf("outputs are %+v", exit.Outputs)
	}
}

func TestOutputFolder(t *testing.T) {
	eachKind(t, func(t *testing.T, kind sandbox.Kind) {
		a := shimtest.New(t, kind, `cd "$STELLWERK_OUT"; mkdir -p sub/dir; echo a > sub/dir/a.md
			ln -s /etc/passwd link; ln -s .. up; mkfifo pipe; head -c 3000 /dev/zero > large
			printf x > "$(printf 'new\nline')"; echo z > z.md`,
			func(s *shim.Spec) { s.FileBytes, s.Writes = 2000, core.WritesArtifacts })
		exit := a.Run(t)
		var names, refused []string
		for _, o := range exit.Outputs {
			names = append(names, o.Name)
		}
		for _, r := range exit.Refused {
			refused = append(refused, r.Name)
		}
		if !slices.Equal(names, []string{"sub/dir/a.md", "z.md"}) {
			t.Errorf("outputs are %q", names)
		}
		if !slices.Equal(refused, []string{"large", "link", "new\nline", "pipe", "up"}) {
			t.Errorf("refused are %+v", exit.Refused)
		}
	})
}

func TestStartedNamesTheProcess(t *testing.T) {
	a := shimtest.New(t, sandbox.None, "true")
	if state, err := shim.Look(a.Folder); err != nil || state != shim.StateAbsent {
		t.Errorf("state is %s, %v", state, err)
	}
	a.Run(t)
	data, err := os.ReadFile(filepath.Join(a.Folder, "started"))
	if err != nil || !strings.Contains(string(data), `"pid":`) || !strings.Contains(string(data), `"boot_id":`) {
		t.Errorf("started is %s, %v", data, err)
	}
	if shimtest.Exists(t, filepath.Join(a.Folder, "tmp")) {
		t.Error("the temporary folder is left")
	}
}
