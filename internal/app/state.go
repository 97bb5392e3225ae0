package app

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/gofrs/flock"

	"github.com/stellwerk-dev/stellwerk/internal/access"
	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/config"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/draft"
)

// stateFolder is where an engine keeps everything. The repository of a person
// holds none of it.
type stateFolder struct{ dir string }

func (s stateFolder) path(name string) string { return filepath.Join(s.dir, name) }
func (s stateFolder) database() string        { return s.path("stellwerk.db") }
func (s stateFolder) blobs() string           { return s.path("blobs") }
func (s stateFolder) runs() string            { return s.path("runs") }
func (s stateFolder) yards() string           { return s.path("yards") }
func (s stateFolder) pulls() string           { return s.path("pulls") }
func (s stateFolder) drafts() string          { return s.path(draft.Folder) }
func (s stateFolder) bin() string             { return s.path("bin") }
func (s stateFolder) lockFile() string        { return s.path("engine.lock") }
func (s stateFolder) tokenFile() string       { return s.path(api.PersonTokenFile) }
func (s stateFolder) logFile() string         { return s.path("engine.log") }
func (s stateFolder) toolKeyFile() string     { return s.path("tool.key") }
func (s stateFolder) notices() string         { return s.path("notices.json") }
func (s stateFolder) traces() string          { return s.path("traces.json") }
func (s stateFolder) access() string          { return s.path(access.File) }
func (s stateFolder) networkURL() string      { return s.path("network.url") }
func (s stateFolder) networkPort() string     { return s.path("network.port") }
func (s stateFolder) metricsAddress() string  { return s.path("metrics.addr") }

// maxSocketPath is what every system takes as the name of a socket.
const maxSocketPath = 100

// socket is where the engine listens. A state folder whose name is too long
// for a socket gets one in the temporary folder, under a name derived from it
// and inside a folder that only the person can enter.
func (s stateFolder) socket() (string, error) {
	return s.listening("engine.sock")
}

// toolFolder is what an attempt sees of the state folder: the engine's other
// socket, which serves the attempts' tools and nothing else, and the scripts
// that call them.
func (s stateFolder) toolFolder() (string, error) {
	socket, err := s.listening("tools/" + toolSocket)
	return filepath.Dir(socket), err
}

// toolSocket is the name of the socket in the folder of the tools.
const toolSocket = "tool.sock"

// listening is the path of a socket, in the state folder where that is possible.
func (s stateFolder) listening(name string) (string, error) {
	path := s.path(name)
	if len(path) <= maxSocketPath {
		return path, nil
	}
	sum := sha256.Sum256([]byte(s.dir))
	dir := filepath.Join(os.TempDir(), fmt.Sprintf("stellwerk-%d-%s", os.Getuid(), hex.EncodeToString(sum[:8])))
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, os.ErrExist) {
		return "", fmt.Errorf("make a folder for the engine's socket: %w", err)
	}
	info, err := os.Lstat(dir)
	if err != nil {
		return "", fmt.Errorf("look at the folder of the engine's socket: %w", err)
	}
	owner, ok := info.Sys().(*syscall.Stat_t)
	if !ok || int(owner.Uid) != os.Getuid() || !info.IsDir() || info.Mode().Perm()&0o077 != 0 {
		return "", core.Errorf(core.CodeForbidden, "%s is not a folder of yours alone", dir).WithHint("remove it, or choose a shorter --state")
	}
	return filepath.Join(dir, name), nil
}

// locate finds the state folder without making it.
func locate(flag string) (stateFolder, error) {
	dir, err := config.StateFolder(flag, os.Getenv)
	return stateFolder{dir: dir}, err
}

// openState makes the state folder, readable by its owner only.
func openState(flag string) (stateFolder, error) {
	s, err := locate(flag)
	if err != nil {
		return s, err
	}
	for _, dir := range []string{s.dir, s.runs(), s.yards(), s.blobs(), s.bin(), s.path("attempts"), s.path("work")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return s, core.Wrap(core.CodeUnavailable, err, "the state folder cannot be made",
				"choose another with --state DIR or STELLWERK_STATE")
		}
	}
	if err := os.Chmod(s.dir, 0o700); err != nil {
		return s, core.Wrap(core.CodeUnavailable, err, "the state folder cannot be protected", "choose another with --state DIR")
	}
	if s.dir, err = filepath.EvalSymlinks(s.dir); err != nil {
		return s, core.Wrap(core.CodeUnavailable, err, "the state folder cannot be read", "choose another with --state DIR")
	}
	return s, nil
}

// engineLock makes sure that one engine runs on a state folder.
type engineLock struct {
	file *flock.Flock
	held os.FileInfo
}

func lockState(s stateFolder) (*engineLock, error) {
	file := flock.New(s.lockFile())
	held, err := file.TryLock()
	if err != nil {
		return nil, core.Wrap(core.CodeUnavailable, err, "the state folder cannot be locked", "check that "+s.dir+" can be written")
	}
	if !held {
		return nil, core.Errorf(core.CodeConflict, "another engine runs on %s", s.dir).
			WithHint("use it (every command finds its socket), or choose another folder with --state")
	}
	info, err := os.Stat(s.lockFile())
	if err != nil {
		return nil, errors.Join(core.Wrap(core.CodeUnavailable, err, "the state folder cannot be locked", "check "+s.dir), file.Unlock())
	}
	return &engineLock{file: file, held: info}, nil
}

// held says whether another engine has the state folder.
func (s stateFolder) held() bool {
	lock, err := lockState(s)
	if err != nil {
		return core.CodeOf(err) == core.CodeConflict
	}
	return lock.release() != nil
}

// lost reports that the file is not the one that was locked: somebody deleted
// the state folder, or put another in its place.
func (l *engineLock) lost() bool {
	now, err := os.Stat(l.file.Path())
	if err != nil {
		return errors.Is(err, fs.ErrNotExist)
	}
	return !os.SameFile(l.held, now)
}

func (l *engineLock) release() error {
	if l == nil {
		return nil
	}
	return l.file.Unlock()
}
