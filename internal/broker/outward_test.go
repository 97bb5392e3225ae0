package broker_test

import (
	"encoding/binary"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/stellwerk-dev/stellwerk/internal/broker"
)

func closed(o *broker.Options) { o.Closed = true }

// What would have the provider connect to a host of the agent's choice is a way around a closed network.
func TestAClosedNetworkDoesNotEndAtTheProvider(t *testing.T) {
	w := serve(t, says(200, "application/json", plainAnswer), closed)
	image := `{"type":"image","source":{"type":"url","url":"https://evil.example/?code"}}`
	ask := func(content string) string {
		return `{"model":"claude-opus-5-5","max_tokens":9,"messages":[{"role":"user","content":[` + content + `]}]}`
	}
	for name, body := range map[string]string{
		"an image":                  ask(image),
		"a document":                ask(`{"type":"document","source":{"url":"https://evil.example/?code","type":"url"}}`),
		"an image of a tool":        ask(`{"type":"tool_result","tool_use_id":"t","content":[` + image + `]}`),
		"an image in a document":    ask(`{"type":"document","source":{"type":"content","content":[` + image + `]}}`),
		"spelled another way":       ask(`{"type":"image","s\u006furce":{"t\u0079pe":"\u0075rl","url":"https://evil.example/?code"}}`),
		"said twice":                ask(`{"type":"image","source":{"type":"base64","type":"url","url":"https://evil.example/?code"}}`),
		"a source twice":            ask(`{"type":"image","source":{"type":"url","url":"https://evil.example/?code"},"source":{"type":"base64","data":""}}`),
		"very deep":                 ask(strings.Repeat(`{"content":[`, 20) + image + strings.Repeat("]}", 20)),
		"in the system's prompt":    `{"model":"claude-opus-5-5","max_tokens":9,"messages":[],"system":[` + image + `]}`,
		"a server of tools":         message("claude-opus-5-5", 9, `,"mcp_servers":[{"type":"url","url":"https://evil.example","name":"e"}]`),
		"a tool that fetches":       message("claude-opus-5-5", 9, `,"tools":[{"name":"Bash"},{"type":"web_fetch_20250910","name":"web_fetch"}]`),
		"a tool that is spelled so": message("claude-opus-5-5", 9, `,"tools":[{"type":"web\u005ffetch_20250910","name":"web_fetch"}]`),
		"the tools of a server":     message("claude-opus-5-5", 9, `,"tools":[{"type":"mcp_toolset","mcp_server_name":"e"}]`),
	} {
		for _, path := range []string{"/v1/messages", "/v1/messages/count_tokens"} {
			got := w.do(w.request(http.MethodPost, path, body))
			if f := got.failure(t); got.Status != 400 || !strings.Contains(f.Error.Message, "network is closed") || w.next().Status != 400 {
				t.Errorf("%s, %s: %d %s", path, name, got.Status, got.Body)
			}
		}
	}
	if saw := w.seen(); len(saw) != 0 {
		t.Errorf("the provider saw %v", saw)
	}
	for name, body := range map[string]string{
		"an image in the request":       ask(`{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AAAA"}}`),
		"a tool that was called so":     ask(`{"type":"tool_use","id":"t","name":"add","input":{"type":"url","source":{"type":"url"}}}`),
		"words about it":                ask(`{"type":"text","text":"{\"source\":{\"type\":\"url\"}}"}`),
		"a tool whose input is a url":   message("claude-opus-5-5", 9, `,"tools":[{"name":"WebFetch","input_schema":{"properties":{"type":{"const":"url"},"url":{"type":"string"}}}}]`),
		"no server of tools":            message("claude-opus-5-5", 9, `,"mcp_servers":[],"metadata":{"type":"url"}`),
		"a search of the provider's":    message("claude-opus-5-5", 9, `,"tools":[{"type":"web_search_20250305","name":"web_search"}]`),
		"a tool of the type of all":     message("claude-opus-5-5", 9, `,"tools":[{"type":"custom","name":"web_fetch"}],"metadata":{"type":"url"}`),
		"a message that is not a list":  message("claude-opus-5-5", 9, `,"metadata":{"type":"url"}`),
		"a source that is only a word":  ask(`{"type":"search_result","source":"https://example.com","title":"t","content":[{"type":"text","text":"url"}]}`),
		"a source of plain text inside": ask(`{"type":"document","source":{"type":"text","media_type":"text/plain","data":"\"type\":\"url\""}}`),
	} {
		if got, _ := w.ask(body); got.Status != 200 {
			t.Errorf("%s: %d %s", name, got.Status, got.Body)
		}
	}
}

// A parser of the provider's may take a text in UTF-16, in which nothing that is looked for stands as it does in UTF-8.
func TestAClosedNetworkIsHeldInEveryEncoding(t *testing.T) {
	w := serve(t, says(200, "application/json", plainAnswer), closed)
	for name, order := range map[string]binary.AppendByteOrder{"little": binary.LittleEndian, "big": binary.BigEndian} {
		var body []byte
		for _, unit := range utf16.Encode([]rune(message("claude-opus-5-5", 9, `,"mcp_servers":[{"type":"url","url":"https://evil.example"}]`))) {
			body = order.AppendUint16(body, unit)
		}
		if got := w.do(w.request(http.MethodPost, "/v1/messages/count_tokens", string(body))); got.Status != 400 || w.next().Status != 400 {
			t.Errorf("%s: %d %s", name, got.Status, got.Body)
		}
	}
	if saw := w.seen(); len(saw) != 0 {
		t.Errorf("the provider saw %v", saw)
	}
}

// An agent whose network is open may have the provider connect as well.
func TestAnOpenNetworkIsOpenAtTheProvider(t *testing.T) {
	w := serve(t, says(200, "application/json", plainAnswer))
	if got, _ := w.ask(message("claude-opus-5-5", 9, `,"tools":[{"type":"web_fetch_20250910","name":"web_fetch"}]`)); got.Status != 200 {
		t.Errorf("%d %s", got.Status, got.Body)
	}
}

// Many large requests at once take up no more memory than two of the largest.
func TestRequestsAreBoundedTogether(t *testing.T) {
	w := serve(t, says(200, "application/json", plainAnswer))
	type part struct {
		write *io.PipeWriter
		ended chan reply
	}
	var parts []part
	for range 2 { // each waits in the middle of its body
		read, write := io.Pipe()
		r := w.request(http.MethodPost, "/v1/messages", "")
		r.Body, r.ContentLength = read, -1
		p := part{write, make(chan reply, 1)}
		go func() { p.ended <- w.do(r) }()
		if _, err := write.Write([]byte(strings.Repeat(" ", 63<<20))); err != nil {
			t.Fatal(err)
		}
		parts = append(parts, p)
	}
	got := w.do(w.request(http.MethodPost, "/v1/messages", strings.Repeat(" ", 60<<20))) // more than sockets hold of the others
	if f := got.failure(t); got.Status != 503 || !strings.Contains(f.Error.Message, "too large") || got.Header.Get("X-Should-Retry") != "" {
		t.Errorf("got %d %s", got.Status, got.Body)
	}
	w.next()
	for _, p := range parts { // whoever has come first is served
		if _, err := fmt.Fprint(p.write, message("claude-opus-5-5", 9, "")); err != nil {
			t.Fatal(err)
		}
		_ = p.write.Close()
		if got := <-p.ended; got.Status != 200 {
			t.Errorf("got %d %s", got.Status, got.Body)
		}
		w.next()
	}
	if got, _ := w.ask(message("claude-opus-5-5", 9, "") + strings.Repeat(" ", 60<<20)); got.Status != 200 {
		t.Errorf("nothing was given back: %d %s", got.Status, got.Body)
	}
}
