// Package pushlock is the second layer against pushing from a session, for programs that push without showing it on the
// command line: an environment in which git's pushes lead nowhere and no credential is available. It must not decide who
// may push. It does not stop a program of the same user that drops this environment; only isolation does. Fetching and
// committing work as before.
package pushlock

import (
	"context"
	"embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/renameio/v2"
)

//go:embed scripts/*.sh
var scripts embed.FS

// Lock is a push lock on disk.
type Lock struct {
	dir string
}

// Write puts the lock's files into dir, replacing what an earlier Write left there. The folder must be one that
// nothing else uses, and has to stay until the last session with this lock has ended.
func Write(ctx context.Context, dir string) (Lock, error) {
	absolute, err := filepath.Abs(dir)
	if err != nil {
		return Lock{}, fmt.Errorf("find the push lock's folder: %w", err)
	}
	if strings.ContainsAny(absolute, "\n'") || strings.Contains(absolute, string(os.PathListSeparator)) {
		return Lock{}, fmt.Errorf("the push lock cannot be kept in %q: quotes, colons and line breaks do not go into PATH; choose another folder", absolute)
	}
	l := Lock{dir: absolute}
	for _, folder := range []string{l.bin(), l.path("git"), l.path("none")} {
		if err := os.MkdirAll(folder, 0o700); err != nil {
			return Lock{}, fmt.Errorf("make the push lock's folder: %w", err)
		}
	}
	if err := l.writeScripts(); err != nil {
		return Lock{}, err
	}
	if err := l.writeFile("env", l.Script(), 0o600); err != nil {
		return Lock{}, err
	}
	return l, l.writeFile("gitconfig", systemConfiguration(ctx), 0o600)
}

func (l Lock) bin() string { return l.path("bin") }

func (l Lock) path(name string) string { return filepath.Join(l.dir, name) }

// locked is the kind of address pushes are redirected to; git looks for a program of its name.
const locked = "stellwerk-locked"

func (l Lock) writeScripts() error {
	files := map[string]string{
		"bin/git":                  "git.sh",
		"bin/gh":                   "forge.sh",
		"bin/glab":                 "forge.sh",
		"bin/hub":                  "forge.sh",
		"bin/tea":                  "forge.sh",
		"bin/git-remote-" + locked: "remote.sh",
		"git/ssh":                  "ssh.sh",
		"askpass":                  "askpass.sh",
		"find":                     "find.sh",
	}
	for name, script := range files {
		text, err := l.render(script)
		if err != nil {
			return err
		}
		if err := l.writeFile(name, text, 0o700); err != nil {
			return err
		}
	}
	return nil
}

func (l Lock) render(script string) (string, error) {
	text, err := scripts.ReadFile("scripts/" + script)
	if err != nil {
		return "", fmt.Errorf("read the push lock's script: %w", err)
	}
	return strings.ReplaceAll(string(text), "@DIR@", quoted(l.dir)), nil
}

func (l Lock) writeFile(name, text string, mode os.FileMode) error {
	if err := renameio.WriteFile(l.path(name), []byte(text), mode, renameio.IgnoreUmask()); err != nil {
		return fmt.Errorf("write the push lock: %w", err)
	}
	return nil
}

// systemConfiguration is the machine's git configuration with one addition: a repository on this machine that is pushed to
// shows no refs and accepts none. Git passes no other configuration to the receiving side.
func systemConfiguration(ctx context.Context) string {
	var b strings.Builder
	for _, file := range systemFiles(ctx) {
		fmt.Fprintf(&b, "[include]\n\tpath = %q\n", file)
	}
	b.WriteString("[receive]\n\thideRefs = refs\n")
	return b.String()
}

// systemFiles asks git for the files of the machine's configuration; none if there is no git.
func systemFiles(ctx context.Context) []string {
	out, err := exec.CommandContext(ctx, "git", "config", "--system", "--list", "--show-origin", "--name-only", "-z").Output()
	if err != nil {
		return nil
	}
	var files []string
	for field := range strings.SplitSeq(string(out), "\x00") {
		if file, ok := strings.CutPrefix(field, "file:"); ok && filepath.IsAbs(file) && !slices.Contains(files, file) {
			files = append(files, file)
		}
	}
	return files
}

// quoted makes a word of sh from any text without single quotes; Write allows no others.
func quoted(s string) string { return "'" + s + "'" }
