// Stellwerk-hook is the hook that Claude Code runs before every tool call: the
// same code as `stellwerk hook`, in a program that starts in a millisecond.
package main

import (
	"os"

	"github.com/stellwerk-dev/stellwerk/internal/hook"
)

func main() { os.Exit(hook.Main(os.Stdin, os.Stdout, os.Stderr, os.Getenv)) }
