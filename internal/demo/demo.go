// Package demo prepares a small repository in which Stellwerk can be seen at
// work, and says afterwards what it prevented. It must not drive the run: that
// is the ordinary `stellwerk run`.
package demo

import (
	"bytes"
	"context"
	_ "embed" // for the repository's files
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/stellwerk-dev/stellwerk/internal/playbook"
)

//go:embed demo.txtar
var archive []byte

// Goal is what the demonstration's run is asked to do.
const Goal = "Greet somebody by name"

// Prepare makes the repository in an empty folder. auto lets findings of the
// review send the run back without asking.
func Prepare(ctx context.Context, dir string, auto bool) error {
	files := txtar.Parse(archive).Files
	text, err := featurePlaybook(auto)
	if err != nil {
		return err
	}
	files = append(files, txtar.File{Name: playbook.Folder + "/feature.yaml", Data: text})
	for _, f := range files {
		path := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return fmt.Errorf("make the demonstration's repository: %w", err)
		}
		if err := os.WriteFile(path, f.Data, 0o644); err != nil {
			return fmt.Errorf("make the demonstration's repository: %w", err)
		}
	}
	for _, args := range [][]string{
		{"init", "--quiet", "--initial-branch=main"},
		{"config", "user.name", "Demo"},
		{"config", "user.email", "demo@example.org"},
		{"add", "--all"},
		{"commit", "--quiet", "--no-gpg-sign", "--message=A program that says hello"},
	} {
		cmd := exec.CommandContext(ctx, "git", args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("make the demonstration's repository: git %s: %w: %s", args[0], err, out)
		}
	}
	return nil
}

// featurePlaybook is the shipped feature playbook with scripted agents, and with
// checks that need no compiler: it is the run that is to be seen.
func featurePlaybook(auto bool) ([]byte, error) {
	source, ok := playbook.BuiltinSource(playbook.Feature)
	if !ok {
		return nil, fmt.Errorf("the playbook %s is not built in", playbook.Feature)
	}
	header := "agents: {demo: {use: scripted, scenario: .stellwerk/scenario.yaml}}\ndefaults: {agent: demo, timeout: 2m}\n"
	text := append([]byte(header), source...)
	text = bytes.ReplaceAll(text, []byte("${build}"), []byte("sh -n greet.sh"))
	text = bytes.ReplaceAll(text, []byte("${test}"), []byte("sh test.sh"))
	if auto {
		text = bytes.Replace(text, []byte("findings: ask"), []byte("findings: auto"), 1)
	}
	return text, nil
}
