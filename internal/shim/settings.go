package shim

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Settings lead the programs of an attempt to the package registries that they use outside the sandbox. They hold no
// secret, and the playbook can override them.
type Settings struct {
	Variables map[string]string `json:"variables,omitempty"`
	// Files are for the home folder, by their path in it.
	Files map[string]string `json:"files,omitempty"`
}

// over are the variables that none of the given maps sets. Case is ignored, because some programs ignore it.
func (s Settings) over(set ...map[string]string) variables {
	v := variables{}
	for name, value := range s.Variables {
		taken := slices.ContainsFunc(set, func(m map[string]string) bool {
			return slices.ContainsFunc(slices.Collect(maps.Keys(m)), func(other string) bool { return strings.EqualFold(name, other) })
		})
		if !taken {
			v[name] = value
		}
	}
	return v
}

// cargoFolder is the one folder of a home that we move with a variable, so that checks share what cargo has fetched.
const cargoFolder, cargoHome = ".cargo", "CARGO_HOME"

// writeSettings puts the files where programs look for them. It overwrites none.
func writeSettings(spec Spec, environ []string) error {
	env := variables{}
	env.add(environ)
	for _, name := range slices.Sorted(maps.Keys(spec.Settings.Files)) {
		folder, inside := spec.Job.Home, filepath.FromSlash(name)
		if rest, ours := strings.CutPrefix(inside, cargoFolder+string(filepath.Separator)); ours && env[cargoHome] != "" {
			writable := append([]string{spec.Job.Home}, spec.Writable...)
			at := slices.IndexFunc(writable, func(dir string) bool { return below(dir, env[cargoHome]) })
			if at < 0 { // the playbook's own folder is not ours to change
				continue
			}
			rel, err := filepath.Rel(writable[at], env[cargoHome])
			if err != nil {
				return fmt.Errorf("find the home of cargo: %w", err)
			}
			folder, inside = writable[at], filepath.Join(rel, rest)
		}
		if err := writeNew(folder, inside, spec.Attempt, spec.Settings.Files[name]); err != nil {
			return fmt.Errorf("write the settings of a package manager: %w", err)
		}
	}
	return nil
}

// below reports a path in dir.
func below(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return dir != "" && err == nil && filepath.IsLocal(rel)
}

// writeNew writes a file, whole or not at all, unless there is one. Processes of other attempts may have written into the
// folder, so it follows no link out of it.
func writeNew(folder, name, attempt, text string) (err error) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	if err := root.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return err
	}
	part := name + "." + attempt
	if err := root.RemoveAll(part); err != nil {
		return err
	}
	file, err := root.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = file.WriteString(text)
	if err = errors.Join(err, file.Close()); err == nil {
		err = root.Link(part, name)
	}
	if errors.Is(err, fs.ErrExist) {
		err = nil
	}
	return errors.Join(err, root.Remove(part))
}
