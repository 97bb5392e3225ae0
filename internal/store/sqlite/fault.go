package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// explain turns what SQLite or the file system says into words for the person
// whose disk, lock or permissions it is. Other errors pass unchanged.
func (s *Store) explain(err error) error {
	if err == nil {
		return nil
	}
	var known *core.Error
	if errors.As(err, &known) {
		return err
	}
	if message, advice := diagnose(err); message != "" {
		return core.Wrap(core.CodeUnavailable, err, fmt.Sprintf("database %s %s", s.path, message), "").Advise(advice)
	}
	return err
}

const (
	hintLocked = "another program has it open: end it (is another engine running?) and try again"
	hintFull   = "free some space and try again; nothing that was acknowledged is lost"
	hintDisk   = "look at the system log for errors of the disk, free some space, and try again"
)

func adviseWrite() core.Advice {
	return core.Advice{Hint: "make the file and its folder writable for you, or choose another state folder", Choices: []core.Choice{{Verb: core.VerbStateFolder}}}
}

func adviseDamaged() core.Advice {
	return core.Advice{
		Hint:    "restore a backup, or move the file away and rebuild it from the runs' folders",
		Choices: []core.Choice{{Verb: core.VerbRestore}, {Verb: core.VerbRebuild}},
	}
}

func diagnose(err error) (message string, advice core.Advice) {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return "", core.Advice{}
	}
	var failed *sqlite.Error
	if errors.As(err, &failed) {
		return diagnoseCode(failed.Code())
	}
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return "cannot grow: the disk is full", core.Advice{Hint: hintFull}
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return "cannot be written", adviseWrite()
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return "cannot be made: its folder does not exist", adviseWrite()
	}
	return "", core.Advice{}
}

func diagnoseCode(code int) (message string, advice core.Advice) {
	switch code {
	case sqlite3.SQLITE_IOERR_SHMSIZE, sqlite3.SQLITE_IOERR_SHMMAP, sqlite3.SQLITE_IOERR_WRITE:
		return "cannot be written: the disk is full or failing", core.Advice{Hint: hintDisk}
	}
	switch code & 0xff {
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL:
		return "is locked", core.Advice{Hint: hintLocked}
	case sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM:
		return "cannot be opened for writing", adviseWrite()
	case sqlite3.SQLITE_FULL:
		return "cannot grow: the disk is full", core.Advice{Hint: hintFull}
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
		return "is damaged", adviseDamaged()
	case sqlite3.SQLITE_IOERR:
		return "cannot be read or written", core.Advice{Hint: hintDisk}
	}
	return "", core.Advice{}
}
