package shim

import (
	"os"
	"strconv"
	"syscall"
)

// VariableWord names the descriptor of a pipe that a shim lets go of as soon as exit.json is written: who started it need
// not wait for the end of a process that has nothing more to say. Nothing depends on it.
const VariableWord = "STELLWERK_SHIM_WORD"

// takeWord takes the pipe over, so that nothing the shim starts holds it; nil where there is none.
func takeWord() *os.File {
	text, given := os.LookupEnv(VariableWord)
	fd, err := strconv.Atoi(text)
	if !given || err != nil || fd <= syscall.Stderr {
		return nil
	}
	syscall.CloseOnExec(fd)
	return os.NewFile(uintptr(fd), "word")
}

// give lets go of the pipe.
func give(word *os.File) {
	if word != nil {
		_ = word.Close() // the process's own end does the same
	}
}
