package courier

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/stellwerk-dev/stellwerk/internal/exchange/wire"
	"github.com/stellwerk-dev/stellwerk/internal/shim"
)

// maxSent is how large a bundle or a workspace may be to be sent. Documents and checkpoints take their part of what an attempt
// may hand in, too. An engine takes no larger bundle from a process of its own machine, either.
const maxSent = wire.MaxHandedIn / 2

// leaveBundle has a hand-in end without its bundle if that is too large, as one that failed: its workspace may be small.
func (a *attempt) leaveBundle(hand *shim.HandIn) error {
	if hand == nil || hand.Bundle == "" {
		return nil
	}
	info, err := os.Lstat(filepath.Join(a.root, hand.Bundle))
	if err != nil || info.Size() <= a.most {
		return err
	}
	hand.Error = fmt.Sprintf("its commits have %d bytes; at most %d are taken over: they stay in %s for a week", info.Size(), a.most, a.root)
	hand.Bundle, hand.Size, hand.SHA256 = "", 0, ""
	a.stays = true
	return nil
}

// workspace packs the workspace of a hand-in that failed, and returns what to send. One that is too large stays where it is.
func (a *attempt) workspace(hand *shim.HandIn) ([]string, error) {
	work := filepath.Join(a.root, wire.WorkName)
	_ = open(work) // the archive names what stays closed
	if size := archiveSize(work); size > a.most {
		hand.Error += fmt.Sprintf("; the workspace has %d bytes, which is too much to be sent: it stays in %s for a week", size, a.root)
		a.stays = true
		return nil, nil
	}
	left, err := packWorkspace(a.root)
	if err != nil {
		return nil, err
	}
	if len(left) > 0 {
		a.Log.Warn("files of the workspace cannot be read and are not handed in", "files", left)
	}
	return []string{wire.FileWorkspace}, nil
}

// archiveSize is about how large the archive of a folder becomes. What cannot be read does not get into it.
func archiveSize(dir string) (size int64) {
	const header = 1 << 10
	_ = filepath.WalkDir(dir, func(_ string, entry fs.DirEntry, err error) error {
		if err != nil {
			return nil //nolint:nilerr // as above
		}
		size += header
		if info, err := entry.Info(); err == nil && info.Mode().IsRegular() {
			size += info.Size()
		}
		return nil
	})
	return size
}
