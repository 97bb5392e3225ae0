// Package bridge is the first process inside a sandbox whose network is closed. Programs in there know addresses and
// ports; the one way out is a unix socket. The bridge listens on loopback, gives every connection to the process behind the
// socket, starts the command, and ends with it. It decides nothing and reads nothing: any other process inside can use the
// socket directly. It keeps other processes inside from looking into it or tracing it.
package bridge

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/handover"
)

// Command is the program and the words that make it a bridge. A socket, "--" and the command to start follow.
func Command(program string) []string { return []string{program, "worker", "bridge"} }

// asked reads the arguments of a process that was started by Command.
func asked(args []string) (socket string, argv []string, ok bool) {
	if words := Command(""); len(args) < len(words)+3 || args[1] != words[1] || args[2] != words[2] || args[4] != "--" {
		return "", nil, false
	}
	return args[3], args[5:], true
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
// Command or Connector may start calls it first.
func Intercept() {
	if target, ok := wanted(os.Args); ok {
		syscall.Exit(connected(target))
	}
	if socket, argv, ok := asked(os.Args); ok {
		// Others wait for the end of this process, so it skips what a program usually does before it ends.
		syscall.Exit(run(socket, argv))
	}
}

// run carries connections to socket while argv runs, and returns what the process ends with: argv's exit code, or 128 plus
// the number of the signal that ended it.
func run(socket string, argv []string) int {
	if err := hide(); err != nil {
		return fail(notExecutable, err)
	}
	listener, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp4", Address)
	if err != nil {
		return fail(notExecutable, fmt.Errorf("listen inside the sandbox: %w", err))
	}
	go serve(listener, socket)
	// Whoever asks an agent to end signals each process. The bridge stays until its command has ended.
	asked := make(chan os.Signal, 4)
	signal.Notify(asked, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	cmd := exec.Command(argv[0], argv[1:]...) //nolint:noctx // the process that started the sandbox ends what is in it
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
	if status.Signaled() {
		return bySignal + int(status.Signal())
	}
	return status.ExitStatus()
}

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
