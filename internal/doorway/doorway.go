// Package doorway leads a browser to a link that must not stand in the arguments
// of a program, which everybody on a machine can read: by a small page in a
// folder of the person's own. It must not know what the link is for, nor which
// browser opens the page.
package doorway

import (
	"errors"
	"fmt"
	"html"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/google/renameio/v2"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

const (
	folder = "open" // in the state folder
	suffix = ".html"
)

// page goes on to the link at once, and by a click if a browser does not.
const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta name="color-scheme" content="light dark">
<meta http-equiv="refresh" content="0;url=%[1]s">
<title>Stellwerk</title>
</head>
<body><p><a href="%[1]s">Go on to the cockpit</a></p></body>
</html>
`

// Open writes the page that leads to a link, and returns its path. Nobody else can
// read it, and its name gives nothing away that the name given does not.
func Open(state, name, link string) (string, error) {
	if !strings.HasPrefix(link, "http://") && !strings.HasPrefix(link, "https://") {
		return "", core.Errorf(core.CodeInvalid, "%.80q is no link that a browser could be led to", link)
	}
	dir := filepath.Join(state, folder)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("make the folder for what a browser is led by: %w", err)
	}
	if err := os.Chmod(dir, 0o700); err != nil {
		return "", fmt.Errorf("keep others out of %s: %w", dir, err)
	}
	path := filepath.Join(dir, name+suffix)
	if err := renameio.WriteFile(path, fmt.Appendf(nil, page, html.EscapeString(link)), 0o600); err != nil {
		return "", fmt.Errorf("write what a browser is led by: %w", err)
	}
	return path, nil
}

// Close removes the page of a name, if there is one.
func Close(state, name string) error {
	if err := os.Remove(filepath.Join(state, folder, name+suffix)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove what a browser was led by: %w", err)
	}
	return nil
}

// Sweep removes the pages that were written before a moment.
func Sweep(state string, before time.Time) error {
	entries, err := os.ReadDir(filepath.Join(state, folder))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("look for what browsers were led by: %w", err)
	}
	for _, e := range entries {
		info, err := e.Info()
		name, ours := strings.CutSuffix(e.Name(), suffix)
		if err != nil || !ours || !info.ModTime().Before(before) {
			continue // gone this moment, not one of these, or still of use
		}
		if err := Close(state, name); err != nil {
			return err
		}
	}
	return nil
}
