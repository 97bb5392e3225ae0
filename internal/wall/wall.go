// Package wall tries the walls around agents on this machine: it starts a process in a sandbox as an attempt has it, which
// tries to get past each wall and to use what must work inside. It changes nothing and says nothing about attempts.
package wall

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/bridge"
	"github.com/stellwerk-dev/stellwerk/internal/handover"
	"github.com/stellwerk-dev/stellwerk/internal/sandbox"
)

// Report is what the process inside found. A text says what is wrong; an empty one is a wall that holds, or a thing that works.
type Report struct {
	Network string `json:"network"` // an address, and a server of this machine
	Inside  string `json:"inside"`  // a server of its own, and the way to the attempt's supervisor
	Calls   string `json:"calls"`   // the filter of system calls
	Files   string `json:"files"`   // a file that is not shown
}

// order is what the process inside is told: a server of this machine, a file that it must not see, and what its
// supervisor says to whoever connects.
type order struct{ Server, File, Word string }

const (
	tryTime  = 20 * time.Second
	dialTime = 3 * time.Second
)

func command(program string) []string { return []string{program, "worker", "walls"} }

// Intercept makes this process the one inside if its arguments ask for that, and then ends it.
func Intercept() {
	words := command("")
	if len(os.Args) != len(words)+1 || os.Args[1] != words[1] || os.Args[2] != words[2] {
		return
	}
	var o order
	err := json.Unmarshal([]byte(os.Args[3]), &o)
	if err == nil {
		err = json.NewEncoder(os.Stdout).Encode(try(context.Background(), o))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// Try tries the walls with program, which calls bridge.Intercept and Intercept first. An error means that the sandbox
// could not be tried.
func Try(ctx context.Context, program string) (_ Report, err error) {
	ctx, cancel := context.WithTimeout(ctx, tryTime)
	defer cancel()
	dir, err := os.MkdirTemp("", "stellwerk-walls-")
	if err != nil {
		return Report{}, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	o := order{File: filepath.Join(dir, "file"), Word: filepath.Base(dir)}
	if err := os.WriteFile(o.File, []byte(o.Word), 0o600); err != nil {
		return Report{}, err
	}
	socket := filepath.Join(dir, "s")
	for _, at := range []struct{ network, address string }{{"tcp4", "127.0.0.1:0"}, {"unix", socket}} {
		listener, err := (&net.ListenConfig{}).Listen(ctx, at.network, at.address)
		if err != nil {
			return Report{}, err
		}
		served := make(chan struct{})
		go func() { serve(listener, o.Word); close(served) }()
		defer func() { _ = listener.Close(); <-served }()
		if at.network == "tcp4" {
			o.Server = listener.Addr().String()
		}
	}
	return start(ctx, program, socket, o)
}

// serve says a word to whoever connects.
func serve(listener net.Listener, word string) {
	for {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		greet(conn, word)
	}
}

// greet says the word to who connected, which may have been handed over by a bridge.
func greet(conn net.Conn, word string) {
	defer func() { _ = conn.Close() }()
	if _, ok := conn.(*net.UnixConn); ok {
		_, handed, err := handover.Take(conn)
		if err != nil || handed == nil {
			return
		}
		defer func() { _ = handed.Close() }()
		conn = handed
	}
	_, _ = conn.Write([]byte(word)) // who connected tells whether it came
}

func start(ctx context.Context, program, socket string, o order) (Report, error) {
	text, err := json.Marshal(o)
	if err != nil {
		return Report{}, err
	}
	launch, err := sandbox.Command(sandbox.Sandbox, sandbox.Spec{
		Argv: append(command(program), string(text)), Dir: "/", Private: []string{}, ReadOnly: []string{program},
		Network: sandbox.Network{Closed: true, Socket: socket, Starter: append(bridge.Command(program), sandbox.SocketPath, "--")},
	})
	if err != nil {
		return Report{}, err
	}
	var out, complaint bytes.Buffer
	cmd := exec.CommandContext(ctx, launch.Argv[0], launch.Argv[1:]...)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH")}
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = &out, &complaint, time.Second
	done, err := launch.Start(cmd)
	if err != nil {
		return Report{}, err
	}
	<-done
	if _, err := launch.Unrouted(); err != nil {
		return Report{}, err
	}
	var r Report
	if err := json.Unmarshal(out.Bytes(), &r); err != nil {
		return Report{}, fmt.Errorf("the sandbox did not answer: %v: %s", cmd.ProcessState, strings.TrimSpace(complaint.String()))
	}
	return r, nil
}
