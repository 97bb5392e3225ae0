package bridge

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"time"
)

// inherited takes the bridge's end of a channel over, so that nothing that it starts has it; nil if there is none.
func inherited(channel int) *os.File {
	if channel <= syscall.Stderr {
		return nil
	}
	syscall.CloseOnExec(channel)
	return os.NewFile(uintptr(channel), "channel")
}

// stay leaves nothing running inside, says how the command ended, and carries out the request that its supervisor may have. If
// the supervisor is gone, there is nobody to tell what fails.
func stay(channel *os.File, code int, started limits, carryOut func(ctx context.Context, argv []string) error) {
	ending, err := endOthers()
	if err != nil {
		return // the end of the channel says that there is no hand-in here
	}
	ending.Code = code
	if err := json.NewEncoder(channel).Encode(ending); err != nil {
		return
	}
	var r Request
	if err := json.NewDecoder(channel).Decode(&r); err != nil {
		return
	}
	var a answer
	if err := started.unchanged(); err != nil {
		a.Error = err.Error()
	} else if err := r.carryOut(carryOut); err != nil {
		a.Error = err.Error()
	}
	_ = json.NewEncoder(channel).Encode(a)
}

// unchanged refuses a request whose programs would work within limits that the command set.
func (l limits) unchanged() error {
	now, err := ownLimits()
	if err == nil && now != l {
		err = errors.New("the limits of the first process were changed inside")
	}
	return err
}

// endOthers ends every other process inside, and returns what all that ever ran there took. None can fork once it was sent the
// signal, and the first process gets each as its child.
func endOthers() (Ending, error) {
	if os.Getpid() != first {
		return Ending{}, errors.New("only the first process of a sandbox can end all others") // elsewhere they would be the person's
	}
	if err := syscall.Kill(-1, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
		return Ending{}, err
	}
	for {
		var status syscall.WaitStatus
		if _, err := syscall.Wait4(-1, &status, 0, nil); errors.Is(err, syscall.ECHILD) {
			break
		} else if err != nil && !errors.Is(err, syscall.EINTR) {
			return Ending{}, err
		}
	}
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_CHILDREN, &usage); err != nil {
		return Ending{}, err
	}
	const kib = 1 << 10 // Linux counts in these, and only Linux has bridges
	cpu := time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
	return Ending{CPU: cpu, Memory: usage.Maxrss * kib}, nil
}

// carryOut makes this process what it would be if it had been started for the request.
func (r Request) carryOut(do func(ctx context.Context, argv []string) error) error {
	if do == nil {
		return errors.New("this program takes no requests")
	}
	os.Clearenv() // it is the command's
	for _, entry := range r.Env {
		name, value, _ := strings.Cut(entry, "=")
		if err := os.Setenv(name, value); err != nil {
			return fmt.Errorf("set %s: %w", name, err)
		}
	}
	if err := os.Chdir(r.Dir); err != nil {
		return err
	}
	if found, err := IdentityOf(r.Workspace); err != nil {
		return err
	} else if found != r.Identity {
		return fmt.Errorf("%s is another folder inside", r.Workspace)
	}
	return do(context.Background(), r.Argv)
}
