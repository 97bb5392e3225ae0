// Command manual writes the man pages and completion scripts that packages
// ship, from the commands themselves:
//
//	go run ./deploy/manual DIR       DIR/man1/*.1 and DIR/completions/*
//
// With SOURCE_DATE_EPOCH set, the same commands give the same bytes.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra/doc"

	"github.com/stellwerk-dev/stellwerk/internal/cli"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: go run ./deploy/manual DIR")
		os.Exit(2)
	}
	if err := write(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "manual:", err)
		os.Exit(1)
	}
}

func write(dir string) error {
	man, completions := filepath.Join(dir, "man1"), filepath.Join(dir, "completions")
	for _, folder := range []string{man, completions} {
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return err
		}
	}
	root := cli.Commands()
	root.DisableAutoGenTag = true
	header := &doc.GenManHeader{Section: "1", Source: "Stellwerk", Manual: "Stellwerk manual"}
	if err := doc.GenManTree(root, header, man); err != nil {
		return err
	}
	if err := root.GenBashCompletionFileV2(filepath.Join(completions, "stellwerk.bash"), true); err != nil {
		return err
	}
	if err := root.GenZshCompletionFile(filepath.Join(completions, "_stellwerk")); err != nil {
		return err
	}
	return root.GenFishCompletionFile(filepath.Join(completions, "stellwerk.fish"), true)
}
