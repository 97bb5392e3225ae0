package client_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/api/apitest"
	"github.com/stellwerk-dev/stellwerk/internal/client"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/wording"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const token = "s3cret"

// serve answers on socket until the returned function is called.
func serve(t *testing.T, socket string, svc api.Service) (stop func()) {
	t.Helper()
	return serveHandler(t, socket, handlerOf(svc))
}

func handlerOf(svc api.Service) http.Handler {
	return api.Handler(svc, api.NewPersonAuthenticator(token, "ada"), "1")
}

func serveHandler(t *testing.T, socket string, handler http.Handler) (stop func()) {
	t.Helper()
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() {
		done <- api.Serve(ctx, l, handler)
	}()
	return func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("Serve: %v", err)
		}
	}
}

func connect(t *testing.T, svc api.Service) *client.Client {
	t.Helper()
	socket := filepath.Join(t.TempDir(), "engine.sock")
	t.Cleanup(serve(t, socket, svc))
	c := client.New(socket, token)
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}

func oneRun() *apitest.Service {
	svc := &apitest.Service{}
	svc.Put(api.RunDetail{Run: api.Run{ID: "0198", Alias: "brisk-otter"}})
	return svc
}

func TestErrorsComeBackWithCodeAndHint(t *testing.T) {
	sent := core.Errorf(core.CodeUntrusted, "nobody trusts %s", ".stellwerk/").WithHint("stellwerk trust")
	c := connect(t, &apitest.Service{On: func(apitest.Call) error { return sent }})
	_, err := c.StartRun(t.Context(), api.StartRun{Dir: "/d", Goal: "g"})
	var got *core.Error
	if !errors.As(err, &got) {
		t.Fatalf("%T %v", err, err)
	}
	if got.Code != sent.Code || got.Message != sent.Message || got.Hint != sent.Hint {
		t.Errorf("%+v", got)
	}
	for _, id := range []string{"", ".", ".."} {
		if _, err := c.Project(t.Context(), id); core.CodeOf(err) != core.CodeNotFound {
			t.Errorf("project %q: %v", id, err)
		}
	}
	for _, id := range []string{"..", ".", "none", "a/b", "%2e", "?"} {
		if _, err := c.Run(t.Context(), id); core.CodeOf(err) != core.CodeNotFound {
			t.Errorf("run %q: %v", id, err)
		}
	}
}

func TestWrongTokenAndNoEngine(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "engine.sock")
	stop := serve(t, socket, &apitest.Service{})
	wrong := client.New(socket, "guess")
	if _, err := wrong.Info(t.Context()); core.CodeOf(err) != core.CodeForbidden {
		t.Errorf("wrong token: %v", err)
	}
	_ = wrong.Close()
	stop()
	if _, err := wrong.Info(t.Context()); core.CodeOf(err) != core.CodeUnavailable || wording.Hint(err) == "" {
		t.Errorf("no engine: %v", err)
	}
}

func TestFollowSurvivesARestartOfTheEngine(t *testing.T) {
	svc := oneRun()
	happen := func() { svc.Happen("0198", time.Unix(1, 0), core.Engine(), core.TimerFired{Timer: "t"}, nil) }
	happen()
	happen()
	socket := filepath.Join(t.TempDir(), "engine.sock")
	stop := serve(t, socket, svc)
	c := client.New(socket, token)
	defer func() { _ = c.Close() }()
	var seen []int64
	err := c.Follow(t.Context(), "brisk-otter", 1, func(e core.Event) error {
		seen = append(seen, e.Seq)
		if e.Seq == 2 {
			stop()
			stop = serve(t, socket, svc)
			happen()
			svc.Happen("0198", time.Unix(2, 0), core.Engine(), core.RunCompleted{}, nil)
		}
		return nil
	})
	stop()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]int64{2, 3, 4}, seen); diff != "" {
		t.Error(diff)
	}
}

func TestFollowEndsWithItsCaller(t *testing.T) {
	svc := oneRun()
	svc.Happen("0198", time.Unix(1, 0), core.Engine(), core.TimerFired{Timer: "t"}, nil)
	c := connect(t, svc)
	enough := errors.New("enough")
	if err := c.Follow(t.Context(), "0198", 0, func(core.Event) error { return enough }); !errors.Is(err, enough) {
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	err := c.Follow(ctx, "0198", 0, func(core.Event) error { cancel(enough); return nil })
	if !errors.Is(err, enough) {
		t.Errorf("got %v", err)
	}
	if err := c.Follow(t.Context(), "none", 0, nil); core.CodeOf(err) != core.CodeNotFound {
		t.Errorf("got %v", err)
	}
}
