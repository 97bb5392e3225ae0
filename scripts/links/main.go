// Command links checks the relative links of all Markdown files that git tracks: the file must exist, and so must the
// heading that a link names. It opens no address of the network.
package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
)

func main() {
	listed, err := exec.CommandContext(context.Background(), "git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", "*.md").Output()
	if err != nil {
		fmt.Fprintln(os.Stderr, "links: git ls-files:", err)
		os.Exit(1)
	}
	checker := newChecker(os.ReadFile)
	for name := range bytes.SplitSeq(bytes.TrimRight(listed, "\x00"), []byte{0}) {
		checker.check(string(name))
	}
	for _, broken := range checker.broken {
		fmt.Println(broken)
	}
	if len(checker.broken) > 0 {
		os.Exit(1)
	}
}
