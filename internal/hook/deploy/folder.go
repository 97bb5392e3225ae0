// Package deploy puts the Claude Code plugin where the client finds it: its
// files and the programs of its hooks into a folder, and the folder into the
// client's own list of plugins, by the client's own commands. It must not write
// the client's settings itself.
package deploy

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/google/renameio/v2"

	"github.com/stellwerk-dev/stellwerk/plugin"
)

// The programs that the plugin's hooks run.
const (
	Program     = "stellwerk"
	HookProgram = "stellwerk-hook"
)

const (
	binDir    = "bin"
	hooksFile = "hooks/hooks.json"
)

// Folder is the plugin as files, with its programs.
type Folder string

// In is where the plugin of a state folder is kept.
func In(state string) Folder { return Folder(filepath.Join(state, "plugin")) }

// Path is a program of the plugin.
func (f Folder) Path(program string) string { return filepath.Join(string(f), binDir, program) }

// Write puts the plugin's files and copies of the programs into the folder, and
// removes what an earlier version left. It replaces each file atomically, so that
// running sessions are not disturbed. The hooks name the copies by their paths, so
// that PATH does not matter.
func (f Folder) Write(programs map[string]string) error {
	var kept []string
	err := fs.WalkDir(plugin.Files(), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := fs.ReadFile(plugin.Files(), name)
		if err == nil && name == hooksFile {
			data, err = f.named(data, programs)
		}
		if err != nil {
			return err
		}
		kept = append(kept, filepath.FromSlash(name))
		return f.put(name, data, 0o644)
	})
	if err != nil {
		return fmt.Errorf("write the plugin: %w", err)
	}
	for name, source := range programs {
		kept = append(kept, filepath.Join(binDir, name))
		data, err := os.ReadFile(source)
		if err == nil {
			err = f.put(filepath.Join(binDir, name), data, 0o755)
		}
		if err != nil {
			return fmt.Errorf("write the plugin's program %s: %w", name, err)
		}
	}
	return f.tidy(kept)
}

func (f Folder) put(name string, content []byte, mode os.FileMode) error {
	path := filepath.Join(string(f), filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return renameio.WriteFile(path, content, mode, renameio.WithTempDir(filepath.Dir(path)), renameio.WithStaticPermissions(mode))
}

// named gives the hooks the paths of their programs.
func (f Folder) named(data []byte, programs map[string]string) ([]byte, error) {
	var config map[string]any
	if err := json.Unmarshal(data, &config); err != nil {
		return nil, fmt.Errorf("read %s: %w", hooksFile, err)
	}
	f.rename(config, programs)
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(config); err != nil {
		return nil, fmt.Errorf("write %s: %w", hooksFile, err)
	}
	return b.Bytes(), nil
}

func (f Folder) rename(v any, programs map[string]string) {
	switch v := v.(type) {
	case []any:
		for _, element := range v {
			f.rename(element, programs)
		}
	case map[string]any:
		if name, ok := v["command"].(string); ok && programs[name] != "" {
			v["command"] = f.Path(name)
		}
		for _, element := range v {
			f.rename(element, programs)
		}
	}
}

// tidy removes files that do not belong to the plugin.
func (f Folder) tidy(kept []string) error {
	return filepath.WalkDir(string(f), func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		name, err := filepath.Rel(string(f), path)
		if err != nil || slices.Contains(kept, name) {
			return err
		}
		return os.Remove(path)
	})
}
