// Package mcp offers the tools of a project's manager over the Model Context
// Protocol, on standard input and output: the same tools as the command line, with
// the same words. It must not do anything that they do not, and holds no state but
// which plan its client was shown.
package mcp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/stellwerk-dev/stellwerk/internal/tool"
	"github.com/stellwerk-dev/stellwerk/internal/wording"
)

// Use calls fn with the tools of who started the server. It is called anew for
// each call of a tool, so that an engine may come and go meanwhile.
type Use func(ctx context.Context, fn func(tool.Kit) error) error

// Serve answers a client until it leaves or ctx ends.
func Serve(ctx context.Context, use Use, version string, in io.ReadCloser, out io.WriteCloser) error {
	s := &server{use: use}
	err := s.build(version).Run(ctx, &sdk.IOTransport{Reader: in, Writer: out})
	if err != nil && ctx.Err() == nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("serve MCP: %w", err)
	}
	return nil
}

type server struct {
	use Use

	mu   sync.Mutex
	base string // digest of the plan that a person was shown
}

const instructions = `The tools of a Stellwerk project's manager. A call that is refused says why, and
what to do instead; nothing has happened then.`

func (s *server) build(version string) *sdk.Server {
	server := sdk.NewServer(&sdk.Implementation{Name: "stellwerk", Version: version},
		&sdk.ServerOptions{Instructions: instructions, Capabilities: &sdk.ServerCapabilities{}})
	add(server, "delegate_to_red", "Have work done", tool.ExplainDelegate+"\n\n"+tool.ExplainKinds, s.delegate)
	add(server, "send_message", "Write to the conversation", tool.ExplainMessage, s.message)
	add(server, "update_plan", "Commit the plan", tool.ExplainPlan, s.plan)
	add(server, "request_clarification", "Ask people something", tool.ExplainQuestion, s.question)
	add(server, "show_plan", "Show the plan", tool.ExplainShowPlan, s.show)
	add(server, "fetch_detail", "Read a document of a run in waves", tool.ExplainDetail, s.detail)
	return server
}

// add offers a tool. Its answer is a line for the model to read, and the same as
// data. An error is told as the tool's, for the model to act on.
func add[In, Out any](server *sdk.Server, name, title, explain string, call func(context.Context, In) (Out, string, error)) {
	sdk.AddTool(server, &sdk.Tool{Name: name, Title: title, Description: explain},
		func(ctx context.Context, _ *sdk.CallToolRequest, in In) (*sdk.CallToolResult, Out, error) {
			out, text, err := call(ctx, in)
			if err != nil {
				return nil, out, told(err)
			}
			return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: text}}}, out, nil
		})
}

// told is an error with what to do about it.
func told(err error) error {
	if hint := wording.Hint(err); hint != "" {
		return errors.New(err.Error() + "\ntry: " + hint)
	}
	return err
}
