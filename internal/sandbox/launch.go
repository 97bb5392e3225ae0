package sandbox

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
)

// Launch is a command made ready to be started in isolation.
type Launch struct {
	// Argv begins with an absolute path, or for None with whatever the Spec names.
	Argv []string

	filter []byte // of system calls; nil if nothing is isolated, or not by bubblewrap
	gauge  *gauge // of a closed network; nil if nothing is counted

	environment []byte // of the inside, as bubblewrap's arguments
	copies      []copied

	// Files are inherited by the first process inside a sandbox of bubblewrap's, which knows them by numbers from FirstFile on.
	// The caller closes them.
	Files []*os.File

	// Around, if set, is called by Start and must call start, which starts the process: on the thread that it is called on
	// itself, or on one that lives as long as the process.
	Around func(start func() error) error
}

// Unrouted is how many packets the process sent to addresses outside its closed network; none of them left it. Call it once,
// after the process has ended.
func (l Launch) Unrouted() (packets int64, err error) {
	if l.gauge == nil {
		return 0, nil
	}
	return l.gauge.read()
}

// firstInherited is the number that a process knows the first of exec.Cmd.ExtraFiles by.
const firstInherited = 3

// FirstFile is the number of the first of Launch.Files.
const FirstFile = environmentFD + 1

// Start starts cmd, which was made from Argv and must have no ExtraFiles, and awaits it. It closes the channel when cmd has
// ended; cmd.ProcessState says how. In a sandbox of bubblewrap's the process has the environment of the Spec, and bubblewrap
// itself gets the few variables of cmd.Env that outside keeps. The process belongs to an operating system thread of its own
// that lives as long as it does: the kernel sends Pdeathsig when that thread ends, and a session keyring is a thread's.
func (l Launch) Start(cmd *exec.Cmd) (<-chan struct{}, error) {
	started, done := make(chan error), make(chan struct{})
	go func() {
		runtime.LockOSThread() // never unlocked: the thread has another keyring and ends with this goroutine
		defer close(done)
		err := l.around(func() error { return l.start(cmd) })
		started <- err
		if err == nil {
			_ = cmd.Wait() // how it ended is in cmd.ProcessState
		}
	}()
	return done, <-started
}

func (l Launch) around(start func() error) error {
	if l.Around == nil {
		return start()
	}
	return l.Around(start)
}

func (l Launch) start(cmd *exec.Cmd) error {
	if l.filter == nil {
		return cmd.Start()
	}
	if err := leaveKeyring(); err != nil {
		return err
	}
	filter, err := readable(l.filter)
	if err != nil {
		return err
	}
	copies, args, err := openCopies(l.copies, FirstFile+len(l.Files))
	if err != nil {
		return errors.Join(err, filter.Close())
	}
	inside, err := inMemory(slices.Concat(l.environment, args))
	if err != nil {
		return errors.Join(err, filter.Close(), closeAll(copies))
	}
	cmd.ExtraFiles, cmd.Env = slices.Concat([]*os.File{filter, inside}, l.Files, copies), outside(cmd.Env)
	if l.gauge != nil {
		err = l.gauge.start(cmd, l.Argv[0])
	} else {
		err = cmd.Start()
	}
	return errors.Join(err, filter.Close(), inside.Close(), closeAll(copies))
}

// readable is a pipe that holds data, which must fit into one.
func readable(data []byte) (*os.File, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("sandbox: %w", err)
	}
	if _, err := w.Write(data); err != nil {
		return nil, errors.Join(fmt.Errorf("sandbox: write the filter of system calls: %w", err), r.Close(), w.Close())
	}
	return r, w.Close()
}
