package guard_test

import (
	"context"
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/guard"
)

// TestMain lets a copy of the test program stand in for git: called as git push, it leaves a mark beside itself.
func TestMain(m *testing.M) {
	program, err := os.Executable()
	if err == nil && filepath.Base(program) == "git" {
		if len(os.Args) > 1 && os.Args[1] == "push" {
			err = os.WriteFile(program+".pushed", nil, 0o600)
		}
		if err != nil {
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// fragments are what random lines are made of: everything that has a meaning to a shell, and the words of a push.
func fragments() []string {
	return append(strings.Split(`git|push|git push|echo|eval|x|$x|"$x"|${x}|x=push|x=git|g=git |$g |'|"|\|;|;;|&|(|)|{ | }|{|}|,|$|$(|`+"`"+`|$'|$"|<<<|<(|>(|#| #|!|! |=|if |then |fi|else |for x in |do |done|case |in |esac|[[ | ]]|((|))|$((|time |while |: |true|false|exit|test |[|]|*|?|~|-c |sh |bash |.| |$@|$*|$1|$#|${x:-|${x#|${x%|${x/|${#|+=|coproc |function |/|a|1|-|--|command |exec |builtin |set -- |read x|IFS=|export |declare |unset |alias |trap | EXIT|printf |%s|{a,b}|{git,push}|\ |\;|<|>|>>|&>|2>&1|>&2|é|\'|\"|\$|$[|@(|!(|=~|;&|^|%|=git `, "|"),
		"|", "||", "&&", "\n", "\\\n", "\t", "\v", "\f", "\u00a0", "\x7f", "<<E\n", "\nE\n", "<<'E'\n", "<<-E\n", "\ngit push\n", " git push ")
}

// TestNoLineFoolsTheParser runs random lines that the guard allows, in a real bash that has no other program than a
// stand-in for git: none may push. STELLWERK_LINES sets how many lines are made up.
func TestNoLineFoolsTheParser(t *testing.T) {
	t.Parallel()
	lines := 2_000
	if wanted, err := strconv.Atoi(os.Getenv("STELLWERK_LINES")); err == nil {
		lines = wanted
	}
	bin, dir := t.TempDir(), t.TempDir()
	git := filepath.Join(bin, "git")
	program, err := os.Executable()
	must(t, err)
	text, err := os.ReadFile(program)
	must(t, err)
	must(t, os.WriteFile(git, text, 0o700)) //nolint:gosec // it is to be run
	bash, err := exec.LookPath("bash")
	must(t, err)
	must(t, os.Symlink(bash, filepath.Join(bin, "bash")))
	must(t, os.Symlink(bash, filepath.Join(bin, "sh")))
	policy := guard.Policy{Subject: guard.Worker, Dir: dir}
	random := rand.New(rand.NewPCG(1, uint64(lines)))
	parts := fragments()
	ran := 0
	for range lines {
		line := ""
		for range 2 + random.IntN(10) {
			line += parts[random.IntN(len(parts))]
			if random.IntN(3) == 0 {
				line += " "
			}
		}
		if !strings.Contains(line, "push") || policy.Command(line).Deny {
			continue
		}
		ran++
		runAlone(t, bash, bin, dir, line)
		if _, err := os.Stat(git + ".pushed"); !errors.Is(err, fs.ErrNotExist) {
			t.Fatalf("the guard allows a line that pushes: %q", line)
		}
	}
	t.Logf("%d lines, %d of them allowed and run", lines, ran)
}

// runAlone runs a line and waits for all it started.
func runAlone(t *testing.T, bash, bin, dir, line string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, bash, "-c", line)
	cmd.Dir, cmd.Env = dir, []string{"PATH=" + bin, "HOME=" + dir}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	_ = cmd.Run() // most of these lines end with an error
	for syscall.Kill(-cmd.Process.Pid, 0) == nil && ctx.Err() == nil {
		<-time.After(time.Millisecond) // something in the background is still at it
	}
}
