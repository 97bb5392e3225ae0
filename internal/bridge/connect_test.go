package bridge

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
)

func TestWanted(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{append(Connector("stellwerk"), "git.example.com", "22"), "git.example.com:22"},
		{append(Connector("stellwerk"), "2001:db8::7", "22"), "[2001:db8::7]:22"},
		{append(Connector("stellwerk"), "git.example.com"), ""},
		{append(Connector("stellwerk"), "git.example.com", "22", "more"), ""},
		{[]string{"stellwerk", "worker", "run", "git.example.com", "22"}, ""},
		{[]string{"stellwerk", "run", "connect", "git.example.com", "22"}, ""},
	} {
		if got, ok := wanted(c.args); got != c.want || ok != (c.want != "") {
			t.Errorf("%q: %q, %v", c.args, got, ok)
		}
	}
}

// proxy answers one request with a text and then repeats the line that it hears.
func proxy(t *testing.T, answer string) (address string, asked <-chan string) {
	t.Helper()
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	heard := make(chan string, 1)
	go func() {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		defer func() { _ = conn.Close() }()
		reader := bufio.NewReader(conn)
		request, err := http.ReadRequest(reader)
		if err != nil {
			heard <- err.Error()
			return
		}
		heard <- request.Method + " " + request.Host
		_, _ = io.WriteString(conn, answer)
		if line, err := reader.ReadString('\n'); err == nil {
			_, _ = io.WriteString(conn, line)
		}
	}()
	return "http://" + listener.Addr().String(), heard
}

func TestConnect(t *testing.T) {
	const refusal = "Connection to git.example.com:22 refused.\nDo without it."
	for _, c := range []struct{ name, answer, says, fails string }{
		{"reached", "HTTP/1.1 200 OK\r\n\r\nSSH-2.0-first\n", "SSH-2.0-first\nhello\n", ""},
		{"refused", fmt.Sprintf("HTTP/1.1 403 Refused\r\nContent-Length: %d\r\n\r\n%s", len(refusal), refusal), "", refusal},
		{"no proxy", "nonsense\r\n\r\n", "", "ask the sandbox's proxy for git.example.com:22"},
	} {
		t.Run(c.name, func(t *testing.T) {
			address, asked := proxy(t, c.answer)
			var out strings.Builder
			err := connect(address, "git.example.com:22", strings.NewReader("hello\n"), &out)
			if got := <-asked; got != "CONNECT git.example.com:22" {
				t.Errorf("it asked for %q", got)
			}
			if out.String() != c.says || (err == nil) != (c.fails == "") || err != nil && !strings.Contains(err.Error(), c.fails) {
				t.Errorf("it said %q, %v", &out, err)
			}
		})
	}
	for _, address := range []string{"", "127.0.0.1:1", "http://"} {
		if err := connect(address, "git.example.com:22", strings.NewReader(""), io.Discard); err == nil || !strings.Contains(err.Error(), "HTTPS_PROXY") {
			t.Errorf("by the proxy %q: %v", address, err)
		}
	}
}
