// Package bridge is the first process inside a sandbox whose network is closed. Programs in there know addresses and
// ports; the one way out is a unix socket. The bridge listens on loopback, gives every connection to the process behind the
// socket, starts the command, and ends with it. It decides nothing and reads nothing: any other process inside can use the
// socket directly. It keeps other processes inside from looking into it or tracing it. With a Channel it stays for a while:
// it ends whatever its command left, says how the command ended, and carries out one request of its supervisor.
package bridge

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"syscall"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/handover"
)

// Options are what a bridge is told besides its command.
type Options struct {
	// Socket is where its connections lead.
	Socket string
	// Channel is the number by which it inherits the other end of a Channel, zero for none.
	Channel int
	// Largest is how many bytes a file may have that it or its command writes, zero for any number.
	Largest int64
}

// Command is the program and the words that make it a bridge; the command to start follows.
func Command(program string, o Options) []string {
	return []string{program, "worker", "bridge", o.Socket, strconv.Itoa(o.Channel), strconv.FormatInt(o.Largest, 10), "--"}
}

// task is what a bridge is started for.
type task struct {
	Options
	argv []string
}

// asked reads the arguments of a process that was started by Command.
func asked(args []string) (task, bool) {
	words := Command("", Options{})
	if len(args) <= len(words) || args[1] != words[1] || args[2] != words[2] || args[6] != words[6] {
		return task{}, false
	}
	channel, err := strconv.Atoi(args[4])
	largest, sizeErr := strconv.ParseInt(args[5], 10, 64)
	return task{Options{Socket: args[3], Channel: channel, Largest: largest}, args[7:]}, errors.Join(err, sizeErr) == nil
}

// Address is where the bridge listens. The network inside is a sandbox's own, so the port is free, and it lies outside
// the range that the kernel hands out to programs which ask for any.
const Address = "127.0.0.1:61080"

// Name is the bridge's name in the process table, by which the shim tells it from the agent.
const Name = "stellwerk-net"

// Exit codes that shells use for a command that cannot be started.
const (
	notExecutable = 126
	notFound      = 127
	bySignal      = 128
)

const acceptPause = 10 * time.Millisecond

// Intercept makes this process a bridge or a connection if its arguments ask for one, and then ends it. A program that
// Command or Connector may start calls it first. carryOut does what the arguments of a Request ask of this program; a program
// whose bridges have no Channel needs none.
func Intercept(carryOut func(ctx context.Context, argv []string) error) {
	if target, ok := wanted(os.Args); ok {
		syscall.Exit(connected(target))
	}
	if t, ok := asked(os.Args); ok {
		// Others wait for the end of this process, so it skips what a program usually does before it ends.
		syscall.Exit(t.run(carryOut))
	}
}

// run carries connections to the socket while the command runs, and returns what the process ends with: the command's exit
// code, or 128 plus the number of the signal that ended it.
func (t task) run(carryOut func(ctx context.Context, argv []string) error) int {
	channel := inherited(t.Channel)
	if err := hide(); err != nil {
		return fail(notExecutable, err)
	}
	listener, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp4", Address)
	if err != nil {
		return fail(notExecutable, fmt.Errorf("listen inside the sandbox: %w", err))
	}
	go serve(listener, t.Socket)
	// Whoever asks an agent to end signals each process. The bridge stays until its command has ended, and the kernel
	// drops what is not caught. It takes Go two milliseconds to catch every signal there is.
	signal.Notify(make(chan os.Signal, 1), fatal()...)
	if err := bound(t.Largest); err != nil {
		return fail(notExecutable, err)
	}
	started, err := ownLimits()
	if err != nil {
		return fail(notExecutable, err)
	}
	cmd := exec.Command(t.argv[0], t.argv[1:]...) //nolint:noctx // the process that started the sandbox ends what is in it
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err := cmd.Start(); err != nil {
		if errors.Is(err, os.ErrNotExist) || errors.Is(err, exec.ErrNotFound) {
			return fail(notFound, err)
		}
		return fail(notExecutable, err)
	}
	status, err := await(cmd.Process.Pid)
	if err != nil {
		return fail(notExecutable, fmt.Errorf("wait for the command: %w", err))
	}
	code := status.ExitStatus()
	if status.Signaled() {
		code = bySignal + int(status.Signal())
	}
	if channel != nil && os.Getpid() == first {
		_ = listener.Close() // whatever would come is ended now
		stay(channel, code, started, carryOut)
	}
	return code
}

// first is the number of the first process inside.
const first = 1

// await waits for a child, and reaps every process whose parent has ended: the kernel gives those to the first process.
func await(child int) (syscall.WaitStatus, error) {
	for {
		var status syscall.WaitStatus
		switch pid, err := syscall.Wait4(-1, &status, 0, nil); {
		case err != nil && err != syscall.EINTR:
			return 0, err
		case err == nil && pid == child:
			return status, nil
		}
	}
}

func fail(code int, err error) int {
	fmt.Fprintf(os.Stderr, "stellwerk: %v\n", err)
	return code
}

// serve carries connections until the process ends.
func serve(listener net.Listener, socket string) {
	for {
		inside, err := listener.Accept()
		if err != nil {
			if errors.Is(err, net.ErrClosed) {
				return
			}
			time.Sleep(acceptPause) // out of descriptors: the waiting connections are taken when some are free
			continue
		}
		go carry(inside, socket)
	}
}

// carry hands a connection over to the listener outside. The bridge is then out of the way.
func carry(inside net.Conn, socket string) {
	defer func() { _ = inside.Close() }()
	outside, err := (&net.Dialer{}).DialContext(context.Background(), "unix", socket)
	if err != nil {
		return
	}
	defer func() { _ = outside.Close() }()
	client, isTCP := inside.(*net.TCPConn)
	server, isUnix := outside.(*net.UnixConn)
	if isTCP && isUnix {
		_ = handover.Give(server, client) // if it fails, the client finds its connection closed
	}
}
