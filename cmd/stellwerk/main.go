// Command stellwerk drives coding agents from a goal to a reviewed pull request.
package main

import (
	"os"

	"github.com/stellwerk-dev/stellwerk/internal/cli"
)

func main() { os.Exit(cli.Main()) }
