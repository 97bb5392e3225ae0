// Package wall tries the walls around agents on this machine: it starts a process in a sandbox like an attempt's, which tries
// to get past each wall and to use what must work inside. It tries the same outside, where it must be possible. It changes
// nothing and says nothing about attempts.
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

// order tells the processes what to try: a server of this machine, a file that is not shown inside, and the word that both
// give to a process that reaches them.
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
		err = json.NewEncoder(os.Stdout).Encode(lookInside(context.Background(), o))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// Try tries the walls with program, which calls bridge.Intercept and Intercept first. An error means that the sandbox
// could not be tried.
func Try(ctx context.Context, program string) (_ []Trial, err error) {
	ctx, cancel := context.WithTimeout(ctx, tryTime)
	defer cancel()
	dir, err := os.MkdirTemp("", "stellwerk-walls-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	o := order{File: filepath.Join(dir, "file"), Word: filepath.Base(dir)}
	if err := os.WriteFile(o.File, []byte(o.Word), 0o600); err != nil {
		return nil, err
	}
	socket := filepath.Join(dir, "s")
	for _, at := range []struct{ network, address string }{{"tcp4", "127.0.0.1:0"}, {"unix", socket}} {
		listener, err := (&net.ListenConfig{}).Listen(ctx, at.network, at.address)
		if err != nil {
			return nil, err
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

// serve says a word to everyone who connects.
func serve(listener net.Listener, word string) {
	for {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		greet(conn, word)
	}
}

// greet says the word to a client, whose connection a bridge may have handed over.
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
	_, _ = conn.Write([]byte(word)) // the client tells whether it came
}

func start(ctx context.Context, program, socket string, o order) ([]Trial, error) {
	text, err := json.Marshal(o)
	if err != nil {
		return nil, err
	}
	launch, err := sandbox.Command(sandbox.Sandbox, sandbox.Spec{
		Argv: append(command(program), string(text)), Dir: "/", Private: []string{}, ReadOnly: []string{program}, Brief: true,
		Network: sandbox.Network{Closed: true, Socket: socket, Starter: bridge.Command(program, bridge.Options{Socket: sandbox.SocketPath})},
	})
	if err != nil {
		return nil, err
	}
	var out, complaint bytes.Buffer
	cmd := exec.CommandContext(ctx, launch.Argv[0], launch.Argv[1:]...)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH")}
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = &out, &complaint, time.Second
	done, err := launch.Start(cmd)
	if err != nil {
		return nil, err
	}
	<-done
	if _, err := launch.Unrouted(); err != nil {
		return nil, err
	}
	var inside seen
	if err := json.Unmarshal(out.Bytes(), &inside); err != nil {
		return nil, fmt.Errorf("the sandbox did not answer: %v: %s", cmd.ProcessState, strings.TrimSpace(complaint.String()))
	}
	return judge(o, launch.Argv[0], look(ctx, o), inside), nil
}
