package e2e

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"sync"

	"github.com/rogpeppe/go-internal/testscript"
)

// noticing are the commands of a scenario in which a person is told.
//
//	serve-notices FILE   takes notices and writes each to FILE as a line of JSON; while there is a FILE.down it
//	                     answers that it is busy. NOTICE_URL is where
func noticing() map[string]func(*testscript.TestScript, bool, []string) {
	return map[string]func(*testscript.TestScript, bool, []string){"serve-notices": plain(serveNotices)}
}

func serveNotices(ts *testscript.TestScript, args []string) {
	if len(args) != 1 {
		ts.Fatalf("usage: serve-notices FILE")
	}
	file := ts.MkAbs(args[0])
	ts.Check(os.WriteFile(file, nil, 0o600))
	var mu sync.Mutex
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		if _, err := os.Stat(file + ".down"); !errors.Is(err, fs.ErrNotExist) {
			http.Error(w, "busy", http.StatusServiceUnavailable)
			return
		}
		if err := note(file, r); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
		}
	}))
	ts.Defer(server.Close)
	ts.Setenv("NOTICE_URL", server.URL)
}

func note(file string, r *http.Request) error {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return err
	}
	line, err := json.Marshal(map[string]any{
		"path": r.URL.Path, "id": r.Header.Get("Webhook-Id"), "signature": r.Header.Get("Webhook-Signature"), "body": json.RawMessage(body),
	})
	if err != nil {
		return err
	}
	out, err := os.OpenFile(file, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	_, err = out.Write(append(line, '\n'))
	return errors.Join(err, out.Close())
}
