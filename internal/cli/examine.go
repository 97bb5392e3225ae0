package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cli/terminal"
	"github.com/stellwerk-dev/stellwerk/internal/config"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/program"
	"github.com/stellwerk-dev/stellwerk/internal/wording"
)

const (
	examineTimeout = 10 * time.Second
	// Git learned what the yard needs by this version.
	minGitMajor, minGitMinor = 2, 36
	spaceFail                = 256 << 20
	spaceWarn                = 2 << 30
	filesWarn                = 50_000
	clockTolerance           = 5 * time.Second
)

// output is the first line a program prints.
func output(ctx context.Context, program string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, examineTimeout)
	defer cancel()
	out, err := exec.CommandContext(ctx, program, args...).Output()
	line, _, _ := strings.Cut(string(out), "\n")
	return terminal.Line(strings.TrimSpace(line)), err
}

func examineGit(ctx context.Context) finding {
	f := finding{What: "git", Grade: gradeFail, Advice: fmt.Sprintf("install git %d.%d or newer", minGitMajor, minGitMinor)}
	text, err := output(ctx, "git", "version")
	if err != nil {
		f.Found = "git does not run: " + err.Error()
		return f
	}
	f.Found = text
	var major, minor int
	if _, err := fmt.Sscanf(text, "git version %d.%d", &major, &minor); err != nil {
		f.Grade, f.Advice = gradeWarn, "could not read its version"
		return f
	}
	if major > minGitMajor || major == minGitMajor && minor >= minGitMinor {
		f.Grade, f.Advice = gradeOK, ""
	}
	return f
}

func (sh *shell) examineIsolation(ctx context.Context) finding {
	kind, reason := sh.Isolation(ctx)
	if kind == "none" || kind == "" {
		return finding{"isolation", gradeFail, "Stellwerk cannot isolate agents: " + terminal.Line(reason),
			terminal.Line(sh.Remedy()) + "; or start runs with --isolation none"}
	}
	if reason != "" {
		return finding{"isolation", gradeWarn, kind + ": " + terminal.Line(reason), "a newer bubblewrap has both walls"}
	}
	return finding{What: "isolation", Grade: gradeOK, Found: kind}
}

// examineResources says which limits of an attempt the kernel holds here.
func (sh *shell) examineResources(ctx context.Context) finding {
	kind, _ := sh.Isolation(ctx)
	found, advice, err := sh.Bounds(kind == config.IsolationSandbox)
	if err != nil {
		return finding{What: "resources", Grade: gradeWarn, Found: "Stellwerk cannot limit what attempts use: " + terminal.Line(err.Error())}
	}
	if advice != "" {
		return finding{"resources", gradeWarn, found, terminal.Line(advice)}
	}
	return finding{What: "resources", Grade: gradeOK, Found: found}
}

// nearest is the folder, or the closest one above it that exists. A folder that
// cannot be looked at is not taken for one that is not there.
func nearest(folder string) string {
	for {
		if _, err := os.Stat(folder); !errors.Is(err, fs.ErrNotExist) || folder == filepath.Dir(folder) {
			return folder
		}
		folder = filepath.Dir(folder)
	}
}

func examineState(state string) finding {
	at := nearest(state)
	probe, err := os.CreateTemp(at, ".stellwerk-doctor-*")
	if err == nil {
		err = errors.Join(probe.Close(), os.Remove(probe.Name()))
	}
	if err != nil {
		return finding{"state", gradeFail, fmt.Sprintf("%s cannot be written: %v", at, err), "choose another folder with --state DIR or STELLWERK_STATE"}
	}
	if at != state {
		return finding{What: "state", Grade: gradeOK, Found: state + " (the first run creates it)"}
	}
	if err := unreadable(state); err != nil {
		return finding{"state", gradeFail, "the engine cannot read it: " + err.Error(), ownFolder(err) + ", or choose another folder with --state DIR or STELLWERK_STATE"}
	}
	info, err := os.Stat(state)
	if err == nil && info.Mode().Perm()&0o077 != 0 {
		return finding{"state", gradeWarn, fmt.Sprintf("%s is open to others (mode %04o)", state, info.Mode().Perm()), "chmod 700 " + quote(state)}
	}
	if name := readable(state); name != "" {
		return finding{"state", gradeWarn, name + " is readable by others", "chmod 600 " + quote(name)}
	}
	return finding{What: "state", Grade: gradeOK, Found: state}
}

// unreadable says why the state folder, or a folder that an engine made in it,
// cannot be listed.
func unreadable(state string) error {
	for _, name := range []string{".", "runs", "yards", "blobs", "bin", "attempts", "work"} {
		dir, err := os.Open(filepath.Join(state, name))
		if errors.Is(err, fs.ErrNotExist) {
			continue // made by the next engine
		}
		if err == nil {
			_, err = dir.Readdirnames(1)
			err = errors.Join(err, dir.Close())
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
	}
	return nil
}

// ownFolder is what makes a folder of the state readable again.
func ownFolder(err error) string {
	if at, ok := errors.AsType[*fs.PathError](err); ok && errors.Is(err, syscall.ENOTDIR) {
		return "move " + quote(at.Path) + " away, which should be a folder"
	}
	return "give it to the account that runs stellwerk (chown, chmod 700)"
}

// readable is a file of the state folder that others should not read and can.
func readable(state string) string {
	for _, name := range []string{"stellwerk.db", "person.token", "tool.key", "access.json", "notices.json", "engine.log"} {
		path := filepath.Join(state, name)
		if info, err := os.Stat(path); err == nil && info.Mode().Perm()&0o077 != 0 {
			return path
		}
	}
	return ""
}

func examineSpace(state string) finding {
	var fs syscall.Statfs_t
	if err := syscall.Statfs(nearest(state), &fs); err != nil {
		return finding{"space", gradeWarn, "cannot read the free space: " + err.Error(), ""}
	}
	free := fs.Bavail * uint64(fs.Bsize)
	f := finding{What: "space", Grade: gradeOK, Found: wording.Bytes(free) + " free"}
	switch {
	case free < spaceFail:
		f.Grade, f.Advice = gradeFail, "make room, or choose another folder with --state DIR"
	case free < spaceWarn:
		f.Grade, f.Advice = gradeWarn, "workspaces of large repositories may not fit; `stellwerk prune` lists what can go"
	case fs.Files > 0 && fs.Ffree < filesWarn:
		f.Grade, f.Found = gradeWarn, fmt.Sprintf("%s, room for %d more files", f.Found, fs.Ffree)
		f.Advice = "workspaces of large repositories may not fit; `stellwerk prune` lists what can go"
	}
	return f
}

func (sh *shell) examineDatabase(ctx context.Context, state string) finding {
	const what = "database"
	found := "SQLite, built in"
	if sh.SQLite != nil {
		v, err := sh.SQLite(ctx)
		if err != nil {
			return finding{what, gradeFail, "SQLite does not work: " + err.Error(), "this build of stellwerk is broken; install another"}
		}
		found = "SQLite " + v + ", built in"
	}
	if sh.Database == nil {
		return finding{What: what, Grade: gradeOK, Found: found}
	}
	ctx, cancel := context.WithTimeout(ctx, examineTimeout)
	defer cancel()
	if err := sh.Database(ctx, state); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return finding{what, gradeFail, terminal.Line(err.Error()), core.HintOf(err)}
	}
	return finding{What: what, Grade: gradeOK, Found: found}
}

func examineAgents(ctx context.Context) finding {
	path, err := program.Look(os.Getenv("PATH"), "claude")
	if errors.Is(err, program.ErrNotExecutable) {
		return finding{"agents", gradeWarn, err.Error(), ""}
	}
	if err != nil {
		return finding{"agents", gradeWarn, "claude is not on PATH", "npm install -g @anthropic-ai/claude-code, or use `command` agents in a playbook"}
	}
	text, err := output(ctx, path, "--version")
	if err != nil {
		return finding{"agents", gradeWarn, fmt.Sprintf("%s does not run: %v", path, err), "try it yourself: claude --version"}
	}
	return finding{What: "agents", Grade: gradeOK, Found: "claude " + text + " at " + path}
}

// examineClock compares the clock with that of the state folder's disk, and
// with what the program can know about the past.
func (sh *shell) examineClock(state string) finding {
	now := sh.Now()
	if now.Year() < 2025 {
		return finding{"clock", gradeFail, "the clock says " + now.Format(time.DateTime), "set the clock"}
	}
	probe, err := os.CreateTemp(nearest(state), ".stellwerk-doctor-*")
	if err != nil {
		return finding{"clock", gradeWarn, "cannot compare the clock with the disk's", ""}
	}
	info, err := probe.Stat()
	err = errors.Join(err, probe.Close(), os.Remove(probe.Name()))
	if err != nil {
		return finding{"clock", gradeWarn, "cannot compare the clock with the disk's", ""}
	}
	if skew := info.ModTime().Sub(sh.Now()).Abs(); skew > clockTolerance {
		return finding{"clock", gradeWarn, "the clock and the state folder's disk are " + wording.Duration(skew) + " apart", "keep the state folder on a local disk"}
	}
	return finding{What: "clock", Grade: gradeOK, Found: now.Format(time.DateTime)}
}

func (sh *shell) examineEngine(ctx context.Context, opts ConnectOptions) finding {
	opts.Existing = true
	ctx, cancel := context.WithTimeout(ctx, examineTimeout)
	defer cancel()
	f := finding{What: "engine", Grade: gradeOK}
	err := sh.connectTo(ctx, opts, func(svc api.Service) error {
		info, err := svc.Info(ctx)
		f.Found = fmt.Sprintf("version %s runs as process %d, %d open runs", terminal.Line(info.Version), info.PID, info.Runs)
		if err == nil && info.Version != sh.Build.Version {
			f.Grade, f.Advice = gradeWarn, "this program is version "+sh.Build.Version+"; restart the engine when convenient: stellwerk stop, then start it as before"
		}
		return err
	})
	switch {
	case errors.Is(err, api.ErrNoEngine):
		f.Found = "not running; commands start one while they need it"
	case err != nil:
		f.Grade, f.Found, f.Advice = gradeFail, err.Error(), core.HintOf(err)
	}
	return f
}
