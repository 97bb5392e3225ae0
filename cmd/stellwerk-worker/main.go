// Stellwerk-worker is what runs beside an agent: the same code as `stellwerk worker`, in a program that starts in a third of
// the time.
package main

import (
	"fmt"
	"os"

	"github.com/stellwerk-dev/stellwerk/internal/worker"
)

func main() {
	if err := worker.SealDescriptors(); err != nil {
		fmt.Fprintf(os.Stderr, "stellwerk-worker: cannot close the files that were left open, so agents would see them: %v\n", err)
		os.Exit(1)
	}
	worker.Intercept()
	fmt.Fprintln(os.Stderr, "stellwerk-worker is started by stellwerk, not by people")
	os.Exit(2)
}
