package bridge

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
)

// maxRefusal bounds the shown part of the proxy's reason.
const maxRefusal = 4 << 10

// Connector is the program and the words that make it a connection to a host, through the proxy that HTTPS_PROXY names. A
// host and a port follow. It is for programs that know no proxy but can connect through a command, as ssh does.
func Connector(program string) []string { return []string{program, "worker", "connect"} }

// wanted reads the arguments of a process that was started by Connector.
func wanted(args []string) (target string, ok bool) {
	words := Connector("")
	if len(args) != len(words)+2 || args[1] != words[1] || args[2] != words[2] {
		return "", false
	}
	return net.JoinHostPort(args[3], args[4]), true
}

// connect copies in to a host and the host's answer to out, until the host ends.
func connect(proxy, target string, in io.Reader, out io.Writer) error {
	address, err := url.Parse(proxy)
	if err != nil || address.Host == "" {
		return errors.New("HTTPS_PROXY does not name the sandbox's proxy: leave it as it was when the sandbox was started")
	}
	conn, err := (&net.Dialer{}).DialContext(context.Background(), "tcp", address.Host)
	if err != nil {
		return fmt.Errorf("reach the sandbox's proxy: %w", err)
	}
	defer func() { _ = conn.Close() }()
	request := &http.Request{Method: http.MethodConnect, URL: &url.URL{Opaque: target}, Host: target}
	if err := request.Write(conn); err != nil {
		return fmt.Errorf("ask the sandbox's proxy for %s: %w", target, err)
	}
	reader := bufio.NewReader(conn)
	answer, err := http.ReadResponse(reader, request)
	if err != nil {
		return fmt.Errorf("ask the sandbox's proxy for %s: %w", target, err)
	}
	defer func() { _ = answer.Body.Close() }()
	if answer.StatusCode != http.StatusOK {
		reason, _ := io.ReadAll(io.LimitReader(answer.Body, maxRefusal)) // the status says that it failed
		return errors.New(strings.TrimSpace(string(reason)))
	}
	go func() {
		_, _ = io.Copy(conn, in) // the host notices, and ends
		if w, ok := conn.(interface{ CloseWrite() error }); ok {
			_ = w.CloseWrite()
		}
	}()
	_, err = io.Copy(out, reader)
	return err
}

// connected is connect as a process.
func connected(target string) int {
	if err := connect(os.Getenv("HTTPS_PROXY"), target, os.Stdin, os.Stdout); err != nil {
		return fail(1, err)
	}
	return 0
}
