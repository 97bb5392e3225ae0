package remote_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/exchange/exchangetest"
	"github.com/stellwerk-dev/stellwerk/internal/exchange/remote"
	"github.com/stellwerk-dev/stellwerk/internal/exchange/wire"
	"github.com/stellwerk-dev/stellwerk/internal/shim"
	"github.com/stellwerk-dev/stellwerk/internal/shim/shimtest"
	"github.com/stellwerk-dev/stellwerk/internal/spawn"
	"github.com/stellwerk-dev/stellwerk/internal/store"
	"github.com/stellwerk-dev/stellwerk/internal/waittest"
)

// TestACheckpointIsKept: the worker's machine is gone in the middle, and what it had saved is handed in as a salvage would: the
// workspace, and documents without secrets. The agent is not disturbed meanwhile.
func TestACheckpointIsKept(t *testing.T) {
	const secret = "a-secret-that-must-not-be-kept-8f3b"
	for _, kind := range shimtest.Kinds(t) {
		t.Run(string(kind), func(t *testing.T) {
			station := exchangetest.NewStation(t)
			station.Prepare(station.Current(), kind, `echo one > one.txt; git add -A; git commit -qm one; echo two > two.txt
				printf %s "$TOKEN" > "$STELLWERK_OUT/a.md"; touch "$SHARED/ready"; i=0; while :; do i=$((i+1)); echo $i > "$SHARED/alive"; sleep 0.02; done`)
			spawner := station.Current().Spawner()
			if err := spawner.Start(t.Context(), spawn.Order{ID: exchangetest.First, Env: []string{"TOKEN=" + secret, shimtest.QuickExit}}); err != nil {
				t.Fatal(err)
			}
			shimtest.Await(t, "the agent", func() bool { _, err := os.Stat(filepath.Join(station.Shared, "ready")); return err == nil })
			shimtest.Await(t, "a checkpoint", func() bool { return strings.Contains(station.Checkpoint(t), "out/a.md") })
			before := read(t, filepath.Join(station.Shared, "alive"))
			shimtest.Await(t, "the agent to go on", func() bool { return read(t, filepath.Join(station.Shared, "alive")) != before })
			killWorker(t, station)
			if status, err := spawner.Wait(t.Context(), exchangetest.First); err != nil || status != spawn.Lost {
				t.Fatalf("it is %s, %v", status, err)
			}
			if err := spawner.Salvage(t.Context(), exchangetest.First); err != nil {
				t.Fatal(err)
			}
			exit, err := station.Exit(t)
			if err != nil || exit.Reason != shim.ReasonLost || exit.HandIn == nil || exit.HandIn.Bundle == "" || !exit.HandIn.Checkpoint || len(exit.Outputs) != 1 {
				t.Fatalf("it ended as %+v, %v", exit, err)
			}
			folder, err := station.Engine().Receive(t.Context(), exchangetest.First)
			if err != nil {
				t.Fatal(err)
			}
			if info, err := os.Stat(filepath.Join(folder, exit.HandIn.Bundle)); err != nil || info.Size() != exit.HandIn.Size {
				t.Errorf("the bundle is %v, %v", info, err)
			}
			if text := read(t, filepath.Join(folder, "out", "a.md")); text == "" || strings.Contains(text, secret) {
				t.Errorf("the document is %q", text)
			}
		})
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// killWorker ends the worker that runs, and whatever it has not handed in.
func killWorker(t *testing.T, station *exchangetest.Station) {
	t.Helper()
	marks, err := filepath.Glob(filepath.Join(station.Workers(), "attempt-*", "started"))
	if err != nil || len(marks) != 1 {
		t.Fatalf("%d attempts run, %v", len(marks), err)
	}
	var started shim.Started
	if err := json.Unmarshal([]byte(read(t, marks[0])), &started); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(started.PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if !waittest.Until(func() bool { return os.RemoveAll(filepath.Dir(marks[0])) == nil }) {
		t.Error("its folder cannot be removed")
	}
}

// handed is an end, or a checkpoint, with one document.
func handed(t *testing.T, content string) (text string, part wire.Object) {
	t.Helper()
	part = wire.Object{Digest: wire.Digest([]byte(content)), Size: int64(len(content))}
	data, err := json.Marshal(wire.End{
		Exit: json.RawMessage(`{"proto":1,"attempt":"a1","reason":"exited"}`), Files: []wire.File{{Name: "out/a.md", Size: part.Size, Parts: []wire.Object{part}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return string(data), part
}

// TestALateCheckpoint takes nothing away from the delivery, although its worker has begun to hand that in.
func TestALateCheckpoint(t *testing.T) {
	_, v := claimed(t)
	first, one := handed(t, "one")
	second, two := handed(t, "two")
	end, three := handed(t, "three")
	v.expect(http.StatusOK, http.MethodPut, wire.PathPart+one.Digest, "one", "")
	v.expect(http.StatusOK, http.MethodPut, wire.PathSaved, first, "")
	v.expect(http.StatusOK, http.MethodPut, wire.PathPart+two.Digest, "two", "")
	v.expect(http.StatusOK, http.MethodPut, wire.PathPart+three.Digest, "three", "")
	for range 2 {
		v.expect(http.StatusOK, http.MethodPut, wire.PathSaved, second, "")
		v.expect(http.StatusNotFound, http.MethodHead, wire.PathPart+one.Digest, "", "")
		v.expect(http.StatusOK, http.MethodHead, wire.PathPart+two.Digest, "", "")
	}
	v.expect(http.StatusConflict, http.MethodPut, wire.PathSaved, first, "has not arrived")
	v.expect(http.StatusOK, http.MethodPost, wire.PathEnd, end, "")
}

// meddled is a store in which the list of parts changes when a checkpoint is kept.
type meddled struct {
	remote.Store
	meddle func()
}

func (m meddled) PutDocument(ctx context.Context, d store.Document) (store.Document, error) {
	kept, err := m.Store.PutDocument(ctx, d)
	if d.Kind == "attempt-checkpoint" {
		m.meddle()
	}
	return kept, err
}

// TestAPartThatComesMeanwhile stays: a checkpoint does not put back the list of parts that it found.
func TestAPartThatComesMeanwhile(t *testing.T) {
	station, v := claimed(t)
	first, one := handed(t, "one")
	second, two := handed(t, "two")
	end, three := handed(t, "three")
	other := station.Engine()
	v.expect(http.StatusOK, http.MethodPut, wire.PathPart+one.Digest, "one", "")
	v.expect(http.StatusOK, http.MethodPut, wire.PathSaved, first, "")
	v.expect(http.StatusOK, http.MethodPut, wire.PathPart+two.Digest, "two", "")
	other.Store = meddled{other.Store, func() { v.expect(http.StatusOK, http.MethodPut, wire.PathPart+three.Digest, "three", "") }}
	server := httptest.NewServer(other.Handler(func(string) (spawn.ID, bool) { return exchangetest.First, true }, nil))
	defer server.Close()
	late := v
	late.url = server.URL
	late.expect(http.StatusOK, http.MethodPut, wire.PathSaved, second, "")
	v.expect(http.StatusOK, http.MethodPost, wire.PathEnd, end, "")
}
