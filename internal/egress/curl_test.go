package egress

import (
	"bytes"
	"context"
	"encoding/pem"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestCurl: a program that people use gets through where it may, and shows why
// where it may not.
func TestCurl(t *testing.T) {
	curl, err := exec.LookPath("curl")
	if err != nil {
		t.Skip("curl is not installed")
	}
	secure, plain := secured(t, hello), page(t, hello)
	authority := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(authority, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: secure.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	w := start(t, Options{Policy: local(t), Advice: "Ask a person to allow %s."})
	bridge := w.bridge()
	for _, c := range []struct {
		proxy, link, protocol, says string
		fails                       bool
	}{
		{"http", "http://" + at("a.example.com", plain.Listener.Addr()) + "/p", "http", "/p", false},
		{"http", "https://" + at("a.example.com", secure.Listener.Addr()) + "/s", "connect", "/s", false},
		{"socks5h", "https://" + at("a.example.com", secure.Listener.Addr()) + "/5", "socks5", "/5", false},
		{"socks5h", "http://" + at("a.example.com", plain.Listener.Addr()) + "/6", "socks5", "/6", false},
		{"http", "http://evil.example/", "http", "Ask a person to allow evil.example:80.", false},
		{"http", "https://evil.example/", "connect", "403", true},
		{"socks5h", "https://evil.example/", "socks5", "evil.example", true},
	} {
		command := exec.Command(curl, "--silent", "--show-error", "--verbose", "--cacert", authority, "--proxy", c.proxy+"://"+bridge, c.link)
		command.Env = []string{"HOME=" + t.TempDir()}
		var out, errs bytes.Buffer
		command.Stdout, command.Stderr = &out, &errs
		err := command.Run()
		if (err != nil) != c.fails || !strings.Contains(out.String()+errs.String(), c.says) {
			t.Errorf("%s by %s: %v\n%s%s", c.link, c.proxy, err, &out, &errs)
		}
		refused := strings.Contains(c.link, "evil")
		if refused && c.proxy == "http" && !strings.Contains(errs.String(), "refused: it is not on the network list. Ask a person") {
			t.Errorf("%s: the reason does not show:\n%s", c.link, &errs)
		}
		if r := w.record(); r.Protocol != c.protocol || r.Allowed == refused {
			t.Errorf("%s by %s: %+v", c.link, c.proxy, r)
		}
	}
	w.none()
}

// bridge leads from a TCP port to the socket, as the one inside a sandbox does.
func (w *world) bridge() string {
	addr := peer(w.t, func(c *net.TCPConn) {
		var d net.Dialer
		conn, err := d.DialContext(context.Background(), "unix", w.socket)
		if err != nil {
			return
		}
		defer func() { _ = conn.Close() }()
		back := make(chan struct{})
		go func() {
			defer close(back)
			_, _ = io.Copy(c, conn)
			_ = c.CloseWrite()
		}()
		_, _ = io.Copy(conn, c)
		_ = conn.(*net.UnixConn).CloseWrite()
		<-back
	})
	return addr.String()
}

// TestGoClient: the error of Go's own client shows the reason.
func TestGoClient(t *testing.T) {
	w := start(t, Options{Policy: local(t), Advice: "Ask a person to allow %s."})
	_, _, err := get(w.browser("http"), "https://evil.example/")
	if want := "Connection to evil.example:443 refused: it is not on the network list. Ask a person to allow evil.example:443."; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v", err)
	}
	response, err := w.browser("http").Get("http://evil.example/")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusForbidden || fmt.Sprint(response.Header["Content-Type"]) != "[text/plain; charset=utf-8]" {
		t.Errorf("%s %v", response.Status, response.Header)
	}
}
