package mcp

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/api/apitest"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/tool"
)

// planned is an engine with a plan that others change, too.
type planned struct {
	apitest.Service
	digest string
}

func (p *planned) Plan(context.Context, string) (api.Plan, error) {
	return api.Plan{Digest: p.digest, Files: map[string]string{"plan.md": p.digest}}, nil
}

func (p *planned) UpdatePlan(_ context.Context, _ string, req api.UpdatePlan) (api.Plan, error) {
	if req.Base != p.digest {
		return api.Plan{}, core.Errorf(core.CodeConflict, "the plan was changed since you read it").WithHint("look at it")
	}
	p.digest += "+"
	return api.Plan{Digest: p.digest, Commit: "c1", Files: req.Files}, nil
}

// TestAPersonChangesThePlanTheyWereShown: the server remembers which that was.
func TestAPersonChangesThePlanTheyWereShown(t *testing.T) {
	dir, engine := t.TempDir(), &planned{digest: "first"}
	if err := os.MkdirAll(filepath.Join(dir, ".ai"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, ".ai", "plan.md"), []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	s := &server{use: func(_ context.Context, fn func(tool.Kit) error) error {
		return fn(tool.Kit{Tools: engine, Run: "r1", Dir: dir})
	}}
	here, there := sdk.NewInMemoryTransports()
	served, err := s.build("1").Connect(t.Context(), there, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = served.Wait() }() // ends with the client
	session, err := sdk.NewClient(&sdk.Implementation{Name: "test"}, nil).Connect(t.Context(), here, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := session.Close(); err != nil {
			t.Error(err)
		}
	}()
	call := func(name, want string, refused bool) {
		t.Helper()
		arguments := map[string]any{}
		if name == "update_plan" {
			arguments["message"] = "why"
		}
		result, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: name, Arguments: arguments})
		if err != nil {
			t.Fatal(err)
		}
		text, ok := result.Content[0].(*sdk.TextContent)
		if !ok || result.IsError != refused || !strings.Contains(text.Text, want) {
			t.Errorf("%s: refused %v, %+v", name, result.IsError, result.Content[0])
		}
	}
	call("update_plan", "the plan was changed since you read it\ntry: look at it", true)
	call("show_plan", "first", false)
	call("update_plan", "committed plan.md as c1", false)
	call("update_plan", "committed plan.md as c1", false)
	engine.digest = "somebody else's"
	call("update_plan", "try: look at it", true)
}
