package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/client"
)

// face is `stellwerk serve` in a process of its own, seen by a browser that has
// signed in, and by this machine's commands.
type face struct {
	svc    *client.Client
	url    string
	cookie *http.Cookie
	cmd    *exec.Cmd
	http   *http.Client

	moved string // project that is paused and resumed
	moves int    // how often
}

// openFace starts the engine of a state folder, with further flags, and signs in.
func openFace(ctx context.Context, shop *workshop, state string, more ...string) (*face, error) {
	program, err := shop.stellwerk(ctx)
	if err != nil {
		return nil, err
	}
	f := &face{http: &http.Client{
		Transport:     &http.Transport{DisableCompression: true, MaxIdleConnsPerHost: 4},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
	f.cmd = exec.CommandContext(ctx, program, append([]string{"serve", "--state", state, "--listen", "127.0.0.1:0", "--log-level", "error"}, more...)...)
	f.cmd.Stderr = shop.log
	f.cmd.Cancel = func() error { return f.cmd.Process.Signal(syscall.SIGTERM) }
	if err := f.cmd.Start(); err != nil {
		return nil, err
	}
	if err := f.enter(ctx, state); err != nil {
		return nil, errors.Join(err, f.close())
	}
	return f, nil
}

// enter waits for the engine and signs a browser in.
func (f *face) enter(ctx context.Context, state string) error {
	socket := filepath.Join(state, "engine.sock")
	if err := answering(ctx, socket); err != nil {
		return err
	}
	address, err := os.ReadFile(filepath.Join(state, "network.url"))
	if err != nil {
		return err
	}
	token, err := api.ReadPersonToken(filepath.Join(state, api.PersonTokenFile))
	if err != nil {
		return err
	}
	f.url, f.svc = strings.TrimSpace(string(address)), client.New(socket, token)
	code, err := f.svc.SignIn(ctx, api.SignIn{})
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, f.url+"/sign-in", strings.NewReader(url.Values{"code": {code.Code}}.Encode()))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	resp, err := f.http.Do(req)
	if err != nil {
		return err
	}
	if cookies := resp.Cookies(); len(cookies) == 1 {
		f.cookie = cookies[0]
		return resp.Body.Close()
	}
	return errors.Join(fmt.Errorf("signing in was answered with %s", resp.Status), resp.Body.Close())
}

func (f *face) close() error {
	f.http.CloseIdleConnections()
	var err error
	if f.svc != nil {
		err = f.svc.Close()
	}
	return errors.Join(err, f.cmd.Process.Signal(syscall.SIGTERM), f.cmd.Wait())
}

// ask prepares a browser's request.
func (f *face) ask(ctx context.Context, path string) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, f.url+path, nil)
	if err != nil {
		return nil, err
	}
	req.AddCookie(f.cookie)
	req.Header.Set("Accept", "text/html")
	req.Header.Set("Accept-Encoding", "gzip")
	return req, nil
}

// answer is a page as it came.
type answer struct {
	first   time.Duration // until its first byte
	body    []byte        // as on the wire
	gzipped bool
}

// get asks for a page over a connection that is there already, and reads it to
// its end.
func (f *face) get(ctx context.Context, path string) (answer, error) {
	var a answer
	var began time.Time
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn:              func(httptrace.GotConnInfo) { began = time.Now() },
		GotFirstResponseByte: func() { a.first = time.Since(began) },
	})
	req, err := f.ask(ctx, path)
	if err != nil {
		return a, err
	}
	resp, err := f.http.Do(req)
	if err != nil {
		return a, err
	}
	a.body, err = io.ReadAll(resp.Body)
	a.gzipped = resp.Header.Get("Content-Encoding") == "gzip"
	if err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s", path, resp.Status)
	}
	return a, errors.Join(err, resp.Body.Close())
}
