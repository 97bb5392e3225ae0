package journal

import (
	"errors"
	"os"

	"github.com/stellwerk-dev/stellwerk/internal/agent"
	"github.com/stellwerk-dev/stellwerk/internal/shim"
)

// pageSize is how many entries are read at once.
const pageSize = 1000

// ToolEntries are the entries of an attempt's transcript that tell of calls of
// tools and of connections, without what those returned: a transcript may be larger than the memory
// that anybody wants to give for it.
func ToolEntries(folder string) ([]shim.Entry, error) { return toolEntries(shim.JournalPath(folder)) }

func toolEntries(transcript string) ([]shim.Entry, error) {
	var kept []shim.Entry
	for at := int64(0); ; {
		page, err := shim.PageAfter(transcript, at, pageSize)
		if errors.Is(err, os.ErrNotExist) {
			return nil, nil // it has not said anything yet
		}
		if err != nil || len(page.Entries) == 0 {
			return kept, err
		}
		for _, e := range page.Entries {
			r := &e.Record
			if r.Connection != nil {
				kept = append(kept, e)
				continue
			}
			if r.Kind != agent.KindToolCall && (r.ToolID == "" || r.Kind != agent.KindToolResult && !r.Denied) {
				continue
			}
			if !r.Denied {
				r.Text = ""
			}
			kept = append(kept, e)
		}
		at = page.End
	}
}
