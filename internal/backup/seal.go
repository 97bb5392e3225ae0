package backup

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/google/renameio/v2"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/statefolder"
	"github.com/stellwerk-dev/stellwerk/internal/strictjson"
)

// sealFile is written when a backup is whole.
const sealFile = "backup.json"

// format is 2 since yards and run folders are made again after a restore. Programs that know only 1 need them.
const format = 2

// sealed is what a backup says about itself.
type sealed struct {
	Format  int       `json:"format"`
	Version string    `json:"version"`
	At      time.Time `json:"at"`
	Files   int       `json:"files"`
	Bytes   int64     `json:"bytes"`
}

func seal(path, version string) error {
	s := sealed{Format: format, Version: version, At: time.Now().UTC()}
	var err error
	if s.Files, s.Bytes, err = extentOf(path); err != nil {
		return err
	}
	data, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return fmt.Errorf("seal the backup: %w", err)
	}
	if err := renameio.WriteFile(filepath.Join(path, sealFile), append(data, '\n'), 0o600); err != nil {
		return core.Wrap(core.CodeUnavailable, err, "the backup cannot be sealed", "check the space of "+path)
	}
	return nil
}

// checkSeal refuses what is no backup, or not all of one.
func checkSeal(path string) error {
	if _, err := os.Stat(statefolder.Folder{Dir: path}.Database()); err != nil {
		return core.Wrap(core.CodeNotFound, err, path+" is no backup", "name a folder that a backup was written to")
	}
	data, err := os.ReadFile(filepath.Join(path, sealFile))
	if errors.Is(err, fs.ErrNotExist) {
		return core.Errorf(core.CodeConflict, "the backup %s was cut short: it has no %s", path, sealFile).WithHint("use another backup")
	}
	var s sealed
	if err == nil {
		err = strictjson.Unmarshal(data, &s)
	}
	if err != nil {
		return core.Wrap(core.CodeInvalid, err, "the backup "+path+" does not say what it holds", "use another backup")
	}
	if s.Format < 1 || s.Format > format {
		return core.Errorf(core.CodeUnsupported, "the backup %s has format %d, this stellwerk knows up to %d", path, s.Format, format).
			WithHint("restore it with stellwerk %s", s.Version)
	}
	files, bytes, err := extentOf(path)
	if err != nil {
		return err
	}
	if files != s.Files || bytes != s.Bytes {
		return core.Errorf(core.CodeConflict, "the backup %s is not what it was: %d files of %d bytes, not %d of %d", path, files, bytes, s.Files, s.Bytes).
			WithHint("copy it again from where it came, or use another backup")
	}
	return nil
}

// extentOf counts the files of a backup, its seal apart.
func extentOf(path string) (files int, bytes int64, err error) {
	err = filepath.WalkDir(path, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() || name == filepath.Join(path, sealFile) {
			return err
		}
		info, err := entry.Info()
		if err == nil {
			files, bytes = files+1, bytes+info.Size()
		}
		return err
	})
	if err != nil {
		return 0, 0, core.Wrap(core.CodeUnavailable, err, "the backup "+path+" cannot be read", "check its permissions")
	}
	return files, bytes, nil
}
