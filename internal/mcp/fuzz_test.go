package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"strings"
	"sync"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/api/apitest"
	"github.com/stellwerk-dev/stellwerk/internal/tool"
	"github.com/stellwerk-dev/stellwerk/internal/waittest"
)

// answers keeps what a server writes.
type answers struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (a *answers) Write(p []byte) (int, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.text.Write(p)
}

func (a *answers) Close() error { return nil }

// FuzzServe holds that a client that says anything is answered with JSON, line by line, and that the server ends with it.
func FuzzServe(f *testing.F) {
	const hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}` +
		"\n" + `{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n"
	for _, seed := range []string{
		`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"send_message","arguments":{"text":"x"}}}`,
		`{"jsonrpc":"2.0","id":null,"method":"tools/call","params":{"name":"delegate_to_red","arguments":{"prompt":1,"Prompt":2}}}`,
		`[{"jsonrpc":"2.0","id":2,"method":"ping"}]`, `{"id":{}}`, "{}{}", "hello", `{"jsonrpc":"2.0","id":1,"result":{}}`,
	} {
		f.Add(hello + seed + "\n")
		f.Add(seed)
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, said string) {
		ctx, cancel := context.WithTimeout(t.Context(), waittest.Limit)
		defer cancel()
		out := &answers{}
		use := func(_ context.Context, fn func(tool.Kit) error) error {
			return fn(tool.Kit{Tools: &apitest.Service{}, Run: "r1", Dir: dir})
		}
		_ = Serve(ctx, use, "1", io.NopCloser(strings.NewReader(said)), out) // what it could not read, it says
		if ctx.Err() != nil {
			t.Fatalf("%q is not the end", said)
		}
		out.mu.Lock()
		defer out.mu.Unlock()
		for line := range bytes.Lines(out.text.Bytes()) {
			if !json.Valid(line) {
				t.Fatalf("%q is answered with %q", said, line)
			}
		}
	})
}
