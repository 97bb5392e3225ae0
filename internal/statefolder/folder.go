// Package statefolder says where in a state folder an engine keeps what, and makes sure
// that one engine works on it. It must not read or write any of those files but the lock and
// the engine's identity.
package statefolder

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

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/config"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// Folder is where an engine keeps everything. The repository of a person
// holds none of it.
type Folder struct{ Dir string }

func (s Folder) path(name string) string { return filepath.Join(s.Dir, name) }
func (s Folder) Database() string        { return s.path("stellwerk.db") }
func (s Folder) Objects() string         { return s.path("blobs") }
func (s Folder) Runs() string            { return s.path("runs") }
func (s Folder) Yards() string           { return s.path("yards") }
func (s Folder) Pulls() string           { return s.path("pulls") }
func (s Folder) Bin() string             { return s.path("bin") }
func (s Folder) lockFile() string        { return s.path("engine.lock") }
func (s Folder) identityFile() string    { return s.path("engine.id") }
func (s Folder) originFile() string      { return s.path("engine.origin") }
func (s Folder) TokenFile() string       { return s.path(api.PersonTokenFile) }
func (s Folder) LogFile() string         { return s.path("engine.log") }
func (s Folder) NetworkURL() string      { return s.path("network.url") }
func (s Folder) NetworkPort() string     { return s.path("network.port") }
func (s Folder) MetricsAddress() string  { return s.path("metrics.addr") }
func (s Folder) Workers() string         { return s.path("workers") }

// StoreNote says which shared store an engine on this folder uses.
func (s Folder) StoreNote() string { return s.path("store.json") }

// maxSocketPath is what every system takes as the name of a socket.
const maxSocketPath = 100

// Socket is where the engine listens. A state folder whose name is too long
// for a socket gets one in the temporary folder, under a name derived from it
// and inside a folder that only the person can enter.
func (s Folder) Socket() (string, error) {
	return s.listening("engine.sock")
}

// WorkersSocket is where the engine hears the workers of attempts on its machine.
func (s Folder) WorkersSocket() (string, error) { return s.listening("workers.sock") }

// ToolFolder is what an attempt sees of the state folder: the engine's other
// socket, which serves the attempts' tools and nothing else, and the scripts
// that call them.
func (s Folder) ToolFolder() (string, error) {
	socket, err := s.listening("tools/" + ToolSocket)
	return filepath.Dir(socket), err
}

// ToolSocket is the name of the socket in the folder of the tools.
const ToolSocket = "tool.sock"

// listening is the path of a socket, in the state folder if that is possible.
func (s Folder) listening(name string) (string, error) {
	path := s.path(name)
	if len(path) <= maxSocketPath {
		return path, nil
	}
	sum := sha256.Sum256([]byte(s.Dir))
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
		return "", core.Errorf(core.CodeForbidden, "%s is not a folder of yours alone", dir).WithHint("remove it, or choose a state folder with a shorter path").Offer(core.Choice{Verb: core.VerbStateFolder})
	}
	return filepath.Join(dir, name), nil
}

// Locate finds the state folder without making it.
func Locate(flag string) (Folder, error) {
	dir, err := config.StateFolder(flag, os.Getenv)
	return Folder{Dir: dir}, err
}

// Open makes the state folder, readable by its owner only.
func Open(flag string) (Folder, error) {
	s, err := Locate(flag)
	if err != nil {
		return s, err
	}
	for _, dir := range []string{s.Dir, s.Runs(), s.Yards(), s.Objects(), s.Bin(), s.path("attempts"), s.path("work")} {
		if err := makeDurable(dir); err != nil {
			return s, core.Wrap(core.CodeUnavailable, err, "the state folder cannot be made", "choose another").Offer(core.Choice{Verb: core.VerbStateFolder})
		}
	}
	if err := os.Chmod(s.Dir, 0o700); err != nil {
		return s, core.Wrap(core.CodeUnavailable, err, "the state folder cannot be protected", "choose another").Offer(core.Choice{Verb: core.VerbStateFolder})
	}
	if s.Dir, err = filepath.EvalSymlinks(s.Dir); err != nil {
		return s, core.Wrap(core.CodeUnavailable, err, "the state folder cannot be read", "choose another").Offer(core.Choice{Verb: core.VerbStateFolder})
	}
	return s, nil
}

// makeDurable makes a folder and what is missing above it, and returns once a crash of the machine leaves their names. What is
// kept in it could sync its own bytes for nothing otherwise.
func makeDurable(dir string) error {
	if info, err := os.Stat(dir); err == nil && info.IsDir() {
		return nil
	}
	above := filepath.Dir(dir)
	if above != dir {
		if err := makeDurable(above); err != nil {
			return err
		}
	}
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	folder, err := os.Open(above)
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}

// Lock makes sure that one engine runs on a state folder.
type Lock struct {
	file *flock.Flock
	held os.FileInfo
}

// Acquire locks a state folder. Errors: CodeConflict where another engine has it.
func Acquire(s Folder) (*Lock, error) {
	file := flock.New(s.lockFile())
	held, err := file.TryLock()
	if err != nil {
		return nil, core.Wrap(core.CodeUnavailable, err, "the state folder cannot be locked", "check that "+s.Dir+" can be written")
	}
	if !held {
		return nil, core.Errorf(core.CodeConflict, "another engine runs on %s", s.Dir).
			WithHint("use it (every command finds its socket), or choose another folder").Offer(core.Choice{Verb: core.VerbStateFolder})
	}
	info, err := os.Stat(s.lockFile())
	if err != nil {
		return nil, errors.Join(core.Wrap(core.CodeUnavailable, err, "the state folder cannot be locked", "check "+s.Dir), file.Unlock())
	}
	return &Lock{file: file, held: info}, nil
}

// Held says whether another engine has the state folder.
func (s Folder) Held() bool {
	lock, err := Acquire(s)
	if err != nil {
		return core.CodeOf(err) == core.CodeConflict
	}
	return lock.Release() != nil
}

// Lost reports that the file is not the one that was locked: somebody deleted
// the state folder, or put another in its place.
func (l *Lock) Lost() bool {
	now, err := os.Stat(l.file.Path())
	if err != nil {
		return errors.Is(err, fs.ErrNotExist)
	}
	return !os.SameFile(l.held, now)
}

// Release lets the next engine have the folder.
func (l *Lock) Release() error {
	if l == nil {
		return nil
	}
	return l.file.Unlock()
}
