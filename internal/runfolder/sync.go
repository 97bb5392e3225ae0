package runfolder

import (
	"errors"
	"io/fs"
	"os"
	"path"
)

// syncNames makes the names in a folder below this one durable, and its own, which it does once: each sync is a wait for the
// disk.
func (f *Folder) syncNames(dir string) error {
	if err := syncFolder(f.root.Open, dir); err != nil || dir == "." {
		return err
	}
	if _, done := f.named.Load(dir); done {
		return nil
	}
	if err := f.syncNames(path.Dir(dir)); err != nil {
		return err
	}
	f.named.Store(dir, true)
	return nil
}

func syncFolder(open func(string) (*os.File, error), path string) error {
	folder, err := open(path)
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}

// Sync makes durable whatever is in the folder. Files that follow from the manifest are written without waiting for the disk,
// because the next step of the run writes them again; after its last one, nobody would.
func (f *Folder) Sync() error {
	return fs.WalkDir(f.root.FS(), ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return explain(err, f.at(name))
		case !entry.IsDir() && !entry.Type().IsRegular():
			return nil
		case name == ArtifactsDir, name == TranscriptsDir, name == PacksDir: // what is in them is durable already
			return fs.SkipDir
		}
		return explain(syncFolder(f.root.Open, name), f.at(name))
	})
}
