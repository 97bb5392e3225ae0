package examine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
	"github.com/stellwerk-dev/stellwerk/internal/cli/terminal"
	"github.com/stellwerk-dev/stellwerk/internal/doctor"
	"github.com/stellwerk-dev/stellwerk/internal/plain"
	"github.com/stellwerk-dev/stellwerk/internal/program"
	"github.com/stellwerk-dev/stellwerk/internal/wording"
)

// nearest is the folder, or the closest one above it that exists. A folder that
// cannot be examined counts as existing.
func nearest(folder string) string {
	for {
		if _, err := os.Stat(folder); !errors.Is(err, fs.ErrNotExist) || folder == filepath.Dir(folder) {
			return folder
		}
		folder = filepath.Dir(folder)
	}
}

func examineState(state string) api.Examined {
	at := nearest(state)
	probe, err := os.CreateTemp(at, ".stellwerk-doctor-*")
	if err == nil {
		err = errors.Join(probe.Close(), os.Remove(probe.Name()))
	}
	if err != nil {
		return doctor.Fail("state", fmt.Sprintf("%s cannot be written: %v", at, err), "choose another folder with --state DIR or STELLWERK_STATE")
	}
	if at != state {
		return doctor.OK("state", state+" (the first run creates it)")
	}
	if err := unreadable(state); err != nil {
		return doctor.Fail("state", "the engine cannot read it: "+err.Error(), ownFolder(err)+", or choose another folder with --state DIR or STELLWERK_STATE")
	}
	info, err := os.Stat(state)
	if err == nil && info.Mode().Perm()&0o077 != 0 {
		return doctor.Warn("state", fmt.Sprintf("%s is open to others (mode %04o)", state, info.Mode().Perm()), "chmod 700 "+plain.ShellWord(state))
	}
	if name := readable(state); name != "" {
		return doctor.Warn("state", name+" is readable by others", "chmod 600 "+plain.ShellWord(name))
	}
	return doctor.OK("state", state)
}

// unreadable says why the state folder or a folder in it cannot be listed.
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

// ownFolder advises how to make a folder of the state readable.
func ownFolder(err error) string {
	if at, ok := errors.AsType[*fs.PathError](err); ok && errors.Is(err, syscall.ENOTDIR) {
		return "move " + plain.ShellWord(at.Path) + " away, which should be a folder"
	}
	return "give it to the account that runs stellwerk (chown, chmod 700)"
}

// readable is a private file of the state folder that others can read.
func readable(state string) string {
	for _, name := range []string{"stellwerk.db", "person.token", "engine.log"} {
		path := filepath.Join(state, name)
		if info, err := os.Stat(path); err == nil && info.Mode().Perm()&0o077 != 0 {
			return path
		}
	}
	return ""
}

func examineDatabase(ctx context.Context, sh *shell.Shell, state string) api.Examined {
	const what = "database"
	version, err := sh.SQLite(ctx)
	if err != nil {
		return doctor.Fail(what, "SQLite does not work: "+err.Error(), "this build of stellwerk is broken; install another")
	}
	ctx, cancel := context.WithTimeout(ctx, doctor.Timeout)
	defer cancel()
	if err := sh.Database(ctx, state); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return doctor.Fail(what, terminal.Line(err.Error()), wording.Hint(err))
	}
	return doctor.OK(what, "SQLite "+version+", built in")
}

func examineAgents(ctx context.Context) api.Examined {
	path, err := program.Look(os.Getenv("PATH"), "claude")
	if errors.Is(err, program.ErrNotExecutable) {
		return doctor.Warn("agents", err.Error(), "")
	}
	if err != nil {
		return doctor.Warn("agents", "claude is not on PATH", "npm install -g @anthropic-ai/claude-code, or use `command` agents in a playbook")
	}
	text, err := doctor.Output(ctx, path, "--version")
	if err != nil {
		return doctor.Warn("agents", fmt.Sprintf("%s does not run: %v", path, err), "try it yourself: claude --version")
	}
	return doctor.OK("agents", "claude "+text+" at "+path)
}

// examineClock compares the clock with that of the state folder's disk, and with a
// year that has passed.
func examineClock(sh *shell.Shell, state string) api.Examined {
	now := sh.Now()
	if now.Year() < 2025 {
		return doctor.Fail("clock", "the clock says "+now.Format(time.DateTime), "set the clock")
	}
	probe, err := os.CreateTemp(nearest(state), ".stellwerk-doctor-*")
	if err != nil {
		return doctor.Warn("clock", "cannot compare the clock with the disk's", "")
	}
	info, err := probe.Stat()
	err = errors.Join(err, probe.Close(), os.Remove(probe.Name()))
	if err != nil {
		return doctor.Warn("clock", "cannot compare the clock with the disk's", "")
	}
	if skew := info.ModTime().Sub(sh.Now()).Abs(); skew > doctor.ClockTolerance {
		return doctor.Warn("clock", "the clock and the state folder's disk are "+wording.Duration(skew)+" apart", "keep the state folder on a local disk")
	}
	return doctor.OK("clock", now.Format(time.DateTime))
}

func examineEngine(ctx context.Context, sh *shell.Shell) api.Examined {
	ctx, cancel := context.WithTimeout(ctx, doctor.Timeout)
	defer cancel()
	f := api.Examined{What: "engine", Grade: api.GradeOK}
	err := sh.Connect(ctx, func(svc api.Service) error {
		info, err := svc.Info(ctx)
		f.Found = fmt.Sprintf("version %s runs as process %d, %d open runs", terminal.Line(info.Version), info.PID, info.Runs)
		if err == nil && info.Version != sh.Build.Version {
			f.Grade, f.Advice = api.GradeWarn, "this program is version "+sh.Build.Version+"; restart the engine when convenient: stellwerk stop, then start it as before"
		}
		if notice := shell.Notice(svc); notice != "" {
			f.Grade, f.Advice = api.GradeFail, terminal.Line(notice)
		}
		return err
	}, shell.Existing)
	switch {
	case errors.Is(err, api.ErrNoEngine):
		f.Found = "not running; commands start one while they need it"
	case err != nil:
		f.Grade, f.Found, f.Advice = api.GradeFail, err.Error(), wording.Hint(err)
	}
	return f
}
