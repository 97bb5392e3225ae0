package tool

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/google/renameio/v2"

	"github.com/stellwerk-dev/stellwerk/internal/agent"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// scripts are the programs on an attempt's PATH, and the command each is.
func scripts() map[string]string {
	commands := map[string]string{}
	for _, t := range core.Tools() {
		commands[t.Command()] = string(t)
	}
	return commands
}

// script calls the program that runs beside the attempt. That may be another version than the one that wrote the script.
func script(verb string) []byte {
	return fmt.Appendf(nil, "#!/bin/sh\nexec \"${%s:?}\" tool %s \"$@\"\n", agent.EnvProgram, verb)
}

// InstallScripts makes dir hold the scripts of this version. What is as it should
// be is left alone.
func InstallScripts(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("make the folder of the tools: %w", err)
	}
	for name, verb := range scripts() {
		if err := installScript(filepath.Join(dir, name), script(verb)); err != nil {
			return fmt.Errorf("write the tool %s: %w", name, err)
		}
	}
	return nil
}

func installScript(path string, content []byte) error {
	const mode = 0o555
	old, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if info, err := os.Lstat(path); err == nil && info.Mode() == mode && bytes.Equal(old, content) {
		return nil
	}
	pending, err := renameio.NewPendingFile(path, renameio.WithTempDir(filepath.Dir(path)), renameio.WithStaticPermissions(mode))
	if err != nil {
		return err
	}
	_, err = pending.Write(content)
	if err == nil {
		err = pending.CloseAtomicallyReplace()
	}
	return errors.Join(err, pending.Cleanup())
}
