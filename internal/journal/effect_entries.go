package journal

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/stellwerk-dev/stellwerk/internal/agent"
	"github.com/stellwerk-dev/stellwerk/internal/shim"
)

// ToolEntries are the entries of an attempt's transcript that tell of calls of
// tools and of connections.
func ToolEntries(folder string) ([]shim.Entry, error) {
	path := shim.JournalPath(folder)
	file, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil // it has not said anything yet
	}
	if err != nil {
		return nil, fmt.Errorf("read the transcript: %w", err)
	}
	defer func() { _ = file.Close() }() // only read from
	kept, err := toolEntries(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return kept, nil
}

// toolEntries leaves out what the calls returned.
func toolEntries(transcript io.Reader) ([]shim.Entry, error) {
	var kept []shim.Entry
	err := shim.EachEntry(transcript, func(e shim.Entry) {
		r := &e.Record
		if r.Connection == nil {
			if r.Kind != agent.KindToolCall && (r.ToolID == "" || r.Kind != agent.KindToolResult && !r.Denied) {
				return
			}
			if !r.Denied {
				r.Text = ""
			}
		}
		kept = append(kept, e)
	})
	return kept, err
}
