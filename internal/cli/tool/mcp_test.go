package tool_test

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/api/apitest"
	"github.com/stellwerk-dev/stellwerk/internal/cli"
	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
	"github.com/stellwerk-dev/stellwerk/internal/cli/terminal"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/playbook"
)

// beServer is what the test's own program does when it is started for a client:
// `stellwerk mcp` in front of a scripted engine, which refuses work without a plan.
func beServer() int {
	svc := &apitest.Service{On: func(c apitest.Call) error {
		if p, ok := c.Req.(core.Proposal); ok && strings.Contains(p.Prompt, "too early") {
			return core.Errorf(core.CodeConflict, "there is no plan yet").WithHint("write one first")
		}
		return nil
	}}
	svc.Put(api.RunDetail{Run: api.Run{ID: "2", Alias: "alias-2", Kind: playbook.KindManager, Status: "active"}})
	dir, err := os.Getwd()
	if err != nil {
		panic(err)
	}
	p := shell.Program{
		Console: terminal.Console{In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Width: func() int { return 0 }, ErrWidth: func() int { return 0 }},
		Build:   shell.Build{Version: "1.0"}, Env: os.Getenv, Dir: dir, Now: time.Now, Interruptible: shell.Interruptible,
		Dial: func(context.Context, shell.ConnectOptions) (api.Service, func() error, error) {
			return svc, func() error { return nil }, nil
		},
	}
	return cli.Run(context.Background(), p, []string{"mcp"})
}

// client talks to the server over its standard input and output.
func client(t *testing.T) *sdk.ClientSession {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.WithoutCancel(t.Context()) // it ends when it is closed
	cmd := exec.CommandContext(ctx, self)
	cmd.Dir, cmd.Env = t.TempDir(), []string{"TEST_MCP=1", "HOME=" + t.TempDir(), "PATH=" + os.Getenv("PATH")}
	session, err := sdk.NewClient(&sdk.Implementation{Name: "test"}, nil).Connect(ctx, &sdk.CommandTransport{Command: cmd}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := session.Close(); err != nil {
			t.Errorf("the server did not end in order: %v", err)
		}
	})
	return session
}

func callTool(t *testing.T, session *sdk.ClientSession, name string, arguments map[string]any) (*sdk.CallToolResult, string) {
	t.Helper()
	result, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: name, Arguments: arguments})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	text, ok := result.Content[0].(*sdk.TextContent)
	if !ok {
		t.Fatalf("%s: %+v", name, result.Content)
	}
	return result, text.Text
}

func TestMCPOffersTheTools(t *testing.T) {
	session := client(t)
	list, err := session.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, offered := range list.Tools {
		names = append(names, offered.Name)
		schema, err := json.Marshal(offered.InputSchema)
		if err != nil || !strings.Contains(string(schema), `"type":"object"`) || offered.Description == "" {
			t.Errorf("%s: %q, %s, %v", offered.Name, offered.Description, schema, err)
		}
	}
	if got := strings.Join(names, " "); got != "delegate_to_red fetch_detail request_clarification send_message show_plan update_plan" {
		t.Errorf("offered: %s", got)
	}
}

func TestMCPCalls(t *testing.T) {
	session := client(t)
	for _, c := range []struct {
		name      string
		arguments map[string]any
		refused   bool
		said      string
	}{
		{"delegate_to_red", map[string]any{"prompt": "Add it.", "branch": "api", "checks": []string{"make"}}, false, "t1 is admitted"},
		{"delegate_to_red", map[string]any{"prompt": "too early"}, true, "there is no plan yet\ntry: write one first"},
		{"delegate_to_red", map[string]any{"promt": "Add it."}, true, "promt"},
		{"send_message", map[string]any{"content": "Hello."}, false, "sent (e1)"},
		{"request_clarification", map[string]any{"question": "Which?", "default": "A", "after": "2h"}, false, "asked as q-"},
		{"request_clarification", map[string]any{"question": "Which?", "after": "soon"}, true, "write it like"},
		{"show_plan", map[string]any{}, false, "there is no plan yet"},
		{"fetch_detail", map[string]any{"name": "d3"}, false, "the content of d3"},
		{"fetch_detail", map[string]any{}, false, "d1  schema.md (wave 1): three tables"},
		{"update_plan", map[string]any{"message": "nothing"}, false, "committed"},
	} {
		result, text := callTool(t, session, c.name, c.arguments)
		if result.IsError != c.refused || !strings.Contains(text, c.said) {
			t.Errorf("%s %v: refused %v, %q", c.name, c.arguments, result.IsError, text)
		}
	}
}
