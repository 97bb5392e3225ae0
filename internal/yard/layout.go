package yard

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// layout is the content of a fresh git directory. Writing it by hand costs no process and,
// unlike git init, copies no template.
type layout struct {
	head       string // content of HEAD
	config     string
	alternates []string // object folders to borrow from
	shallow    []byte   // the shallow list of the repository that is borrowed from
	durable    bool     // fsync what is written
}

func layRepository(gitDir string, l layout) error {
	folders := []string{"objects/pack", "refs"} // of what comes and goes with an attempt: git makes the others when it needs them
	if len(l.alternates) > 0 {
		folders = []string{"objects/info", "refs/heads", "info"}
	} else if l.durable {
		folders = []string{"objects/info", "objects/pack", "refs/heads", "refs/tags", "info"}
	}
	for _, sub := range folders {
		if err := os.MkdirAll(filepath.Join(gitDir, sub), 0o755); err != nil {
			return err
		}
	}
	files := map[string]string{"HEAD": l.head + "\n", "config": l.config}
	if len(l.alternates) > 0 {
		lines, err := alternateLines(l.alternates)
		if err != nil {
			return err
		}
		files["objects/info/alternates"] = lines
	}
	if len(l.shallow) > 0 {
		files["shallow"] = string(l.shallow)
	}
	for name, content := range files {
		if err := writeFile(filepath.Join(gitDir, name), []byte(content), l.durable); err != nil {
			return err
		}
	}
	if l.durable {
		return syncDir(gitDir)
	}
	return nil
}

// alternateLines lists object folders as git's file of alternates does. It refuses paths that this format cannot express.
func alternateLines(folders []string) (string, error) {
	var lines strings.Builder
	for _, folder := range folders {
		if strings.Contains(folder, "\n") || !filepath.IsAbs(folder) {
			return "", fmt.Errorf("git cannot borrow objects from %q: the path holds a line break or is not absolute", folder)
		}
		lines.WriteString(folder + "\n")
	}
	return lines.String(), nil
}

// shallowList is the yard's list of cut-off commits. Whoever borrows its objects needs the same list.
func shallowList(gitDir string) ([]byte, error) {
	list, err := os.ReadFile(filepath.Join(gitDir, "shallow"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return list, err
}

func writeFile(name string, content []byte, durable bool) (err error) {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if _, err := f.Write(content); err != nil {
		return err
	}
	if durable {
		return f.Sync()
	}
	return nil
}

// writeRef sets a ref of a repository that nobody else knows yet.
func writeRef(gitDir, ref, commit string) error {
	file := filepath.Join(gitDir, ref)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return writeFile(file, []byte(commit+"\n"), false)
}

func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
