package shim

import (
	"os"
	"strconv"
	"syscall"
)

// VariableDone names the descriptor of a pipe by which a shim tells its starter how far it is: one byte when the agent has
// ended, whose slot somebody else can have, and the end of the pipe when exit.json is written. It only saves time.
const VariableDone = "STELLWERK_SHIM_DONE"

// takeDone takes the pipe over, so that nothing the shim starts holds it; nil if there is none.
func takeDone() *os.File {
	fd, given := doneDescriptor()
	if !given {
		return nil
	}
	syscall.CloseOnExec(fd)
	return os.NewFile(uintptr(fd), "done")
}

func doneDescriptor() (fd int, given bool) {
	fd, err := strconv.Atoi(os.Getenv(VariableDone))
	return fd, err == nil && fd > syscall.Stderr
}

// tellTaken tells the starter that this shim has its order. It fails if nobody waits for that. The pipe stays for takeDone.
func tellTaken() error {
	fd, given := doneDescriptor()
	if !given {
		return os.ErrInvalid
	}
	_, err := syscall.Write(fd, []byte{0})
	return err
}

// tellIdle tells the starter that the agent and everything it started are gone. A starter that is gone itself does not mind.
func tellIdle(done *os.File) {
	if done != nil {
		_, _ = done.Write([]byte{0})
	}
}

// closeDone tells the starter that exit.json is written.
func closeDone(done *os.File) {
	if done != nil {
		_ = done.Close() // the end of the process does the same
	}
}
