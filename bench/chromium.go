package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/tooltest"
)

// drawn measures how long Chromium takes from asking for the page of a run of 500
// tasks until it is on the screen: the second frame after everything is loaded.
// The browser has been used before; the page has not been loaded in it.
func drawn(ctx context.Context, shop *workshop) (o outcome, err error) {
	program, why := findChromium()
	if program == "" {
		return outcome{skipped: why}, nil
	}
	f, id, err := openManaged(ctx, shop)
	if err != nil {
		return o, err
	}
	defer func() { err = errors.Join(err, f.close()) }()
	b, err := openBrowser(ctx, shop, program)
	if err != nil {
		return o, err
	}
	defer func() { err = errors.Join(err, b.close()) }()
	if err := b.signIn(f); err != nil {
		return o, err
	}
	var all []time.Duration
	for range shop.times(15) {
		took, err := b.draw(f.url + "/runs/" + id)
		if err != nil {
			return o, err
		}
		all = append(all, took)
	}
	m := median(all)
	return outcome{ratio: m.Seconds(), measured: short(m)}, nil
}

func findChromium() (program, why string) {
	path, err := tooltest.Find(tooltest.Chromium)
	if err != nil {
		return "", err.Error()
	}
	return path, ""
}

// browser is a Chromium that is spoken to by its own protocol over two pipes:
// messages of JSON, each with a zero byte behind it.
type browser struct {
	cmd     *exec.Cmd
	in      *os.File
	out     *bufio.Reader
	last    int
	session string
}

func openBrowser(ctx context.Context, shop *workshop, program string) (*browser, error) {
	profile, err := shop.folder("chromium")
	if err != nil {
		return nil, err
	}
	read, in, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	out, write, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	b := &browser{in: in, out: bufio.NewReader(out)}
	b.cmd = exec.CommandContext(ctx, program, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
		"--no-first-run", "--remote-debugging-pipe", "--user-data-dir="+profile, "--window-size=1280,900", "about:blank")
	b.cmd.ExtraFiles = []*os.File{read, write}
	b.cmd.Env = append(os.Environ(), "HOME="+profile)
	if err := b.cmd.Start(); err != nil {
		return nil, err
	}
	if err := errors.Join(read.Close(), write.Close()); err != nil {
		return nil, err
	}
	return b, b.attach()
}

func (b *browser) close() error {
	_, err := b.call("", "Browser.close", nil)
	err = errors.Join(err, b.in.Close())
	_ = b.cmd.Wait() // how it ends says nothing about the page
	return err
}

// attach opens a tab.
func (b *browser) attach() error {
	var tab struct {
		TargetID string `json:"targetId"`
	}
	if err := b.into(&tab, "", "Target.createTarget", map[string]any{"url": "about:blank"}); err != nil {
		return err
	}
	var held struct {
		SessionID string `json:"sessionId"`
	}
	if err := b.into(&held, "", "Target.attachToTarget", map[string]any{"targetId": tab.TargetID, "flatten": true}); err != nil {
		return err
	}
	b.session = held.SessionID
	_, err := b.call(b.session, "Page.enable", nil)
	return err
}

// signIn gives the browser the cookie, and makes it load everything each time.
func (b *browser) signIn(f *face) error {
	if _, err := b.call(b.session, "Network.setCacheDisabled", map[string]any{"cacheDisabled": true}); err != nil {
		return err
	}
	_, err := b.call(b.session, "Network.setCookie", map[string]any{
		"name": f.cookie.Name, "value": f.cookie.Value, "url": f.url, "httpOnly": true, "sameSite": "Strict",
	})
	return err
}

// onScreen is the time since the page was asked for, once it has been shown.
const onScreen = `new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() =>
  done(document.querySelectorAll("svg a").length >= 500 ? performance.now() : -1))))`

func (b *browser) draw(url string) (time.Duration, error) {
	if _, err := b.call(b.session, "Page.navigate", map[string]any{"url": url}); err != nil {
		return 0, err
	}
	if err := b.await("Page.loadEventFired"); err != nil {
		return 0, err
	}
	var shown struct {
		Result struct {
			Value float64 `json:"value"`
		} `json:"result"`
	}
	err := b.into(&shown, b.session, "Runtime.evaluate", map[string]any{"expression": onScreen, "awaitPromise": true})
	if err == nil && shown.Result.Value <= 0 {
		err = errors.New("the page does not show 500 tasks")
	}
	return time.Duration(shown.Result.Value * float64(time.Millisecond)), err
}

// message is what comes from the browser: an answer, or something that happened.
type message struct {
	ID     int             `json:"id"`
	Method string          `json:"method"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Message string `json:"message"`
	} `json:"error"`
}

func (b *browser) into(v any, session, method string, params any) error {
	result, err := b.call(session, method, params)
	if err != nil {
		return err
	}
	return json.Unmarshal(result, v)
}

// call sends a command and waits for its answer.
func (b *browser) call(session, method string, params any) (json.RawMessage, error) {
	b.last++
	command := map[string]any{"id": b.last, "method": method}
	if session != "" {
		command["sessionId"] = session
	}
	if params != nil {
		command["params"] = params
	}
	data, err := json.Marshal(command)
	if err != nil {
		return nil, err
	}
	if _, err := b.in.Write(append(data, 0)); err != nil {
		return nil, err
	}
	for {
		m, err := b.next()
		if err != nil {
			return nil, err
		}
		if m.ID == b.last && m.Error != nil {
			return nil, fmt.Errorf("chromium: %s: %s", method, m.Error.Message)
		}
		if m.ID == b.last {
			return m.Result, nil
		}
	}
}

// await passes over messages up to an event.
func (b *browser) await(event string) error {
	for {
		if m, err := b.next(); err != nil || m.Method == event {
			return err
		}
	}
}

func (b *browser) next() (message, error) {
	var m message
	data, err := b.out.ReadBytes(0)
	if err != nil {
		return m, fmt.Errorf("chromium went away: %w", err)
	}
	return m, json.Unmarshal(data[:len(data)-1], &m)
}
