package shim

import (
	"os"
	"strconv"
	"syscall"
)

// VariableDone names the descriptor of a pipe that a shim closes as soon as exit.json is written, so that its starter need
// not wait for the process to end. It only saves time.
const VariableDone = "STELLWERK_SHIM_DONE"

// takeDone takes the pipe over, so that nothing the shim starts holds it; nil if there is none.
func takeDone() *os.File {
	text, given := os.LookupEnv(VariableDone)
	fd, err := strconv.Atoi(text)
	if !given || err != nil || fd <= syscall.Stderr {
		return nil
	}
	syscall.CloseOnExec(fd)
	return os.NewFile(uintptr(fd), "done")
}

// closeDone tells the starter that exit.json is written.
func closeDone(done *os.File) {
	if done != nil {
		_ = done.Close() // the end of the process does the same
	}
}
