package statefolder

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"syscall"

	"github.com/google/renameio/v2"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// Identity is that of the engines that work on a state folder, one after the other: whoever
// holds its lock goes on with what the one before owned. It is made at the first call.
//
// A copy of a state folder holds its identity, too, and the lock of another file. If the store
// is shared, two engines would take each other's projects for their own, so the copy gets a new
// identity. If the store was copied along, it keeps the one that this store knows.
func (l *Lock) Identity(s Folder, shared bool, machine func() string) (string, error) {
	id, err := s.noted(s.identityFile())
	if err != nil {
		return "", err
	}
	origin, err := s.noted(s.originFile())
	if err != nil {
		return "", err
	}
	known := len(id) == len(rand.Text())
	if known && origin != "" && !shared {
		return id, nil
	}
	here, err := s.origin(machine())
	if err != nil {
		return "", err
	}
	if known && origin == here {
		return id, nil
	}
	if !known || origin != "" {
		id = rand.Text()
		if err := s.note(s.identityFile(), id); err != nil {
			return "", err
		}
	}
	return id, s.note(s.originFile(), here)
}

// origin tells a folder from its copies. Many systems number their disks anew at each mount, so the disk does not count. It does not show the machine's id, which many keep secret.
func (s Folder) origin(machine string) (string, error) {
	info, err := os.Stat(s.Dir)
	if err != nil {
		return "", core.Wrap(core.CodeUnavailable, err, "the state folder cannot be read", "check "+s.Dir)
	}
	file, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return "", core.Errorf(core.CodeUnsupported, "the system does not tell folders apart")
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\n%d", machine, file.Ino))
	return hex.EncodeToString(sum[:16]), nil
}

// noted is what a file about the engine's identity says; "" if there is none.
func (s Folder) noted(file string) (string, error) {
	text, err := os.ReadFile(file) //nolint:gosec // in the state folder
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", core.Wrap(core.CodeUnavailable, err, "the engine's identity cannot be read", "check "+s.Dir)
	}
	return strings.TrimSpace(string(text)), nil
}

func (s Folder) note(file, text string) error {
	if err := renameio.WriteFile(file, []byte(text+"\n"), 0o600); err != nil {
		return core.Wrap(core.CodeUnavailable, err, "the engine's identity cannot be kept", "check that "+s.Dir+" can be written")
	}
	return nil
}
