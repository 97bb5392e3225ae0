package gate

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// Brief is a delegation of a planner as a piece of work.
func Brief(b core.Brief) Piece {
	return Piece{
		ID: b.ID, Key: briefKey(b), Role: b.Agent, Needs: b.Needs, Requires: b.Requires, Provided: b.Provided,
		Outputs: b.Outputs, After: b.DependsOn,
	}
}

// briefKey is the same for the same delegation under another id: whatever the
// order of its lists, and however its words are spaced and capitalised.
func briefKey(b core.Brief) string {
	wish := struct {
		Agent, Task string
		Criteria    []string
		Lists       [][]string
	}{Agent: b.Agent, Task: core.Plain(b.Task)}
	for _, c := range b.Criteria {
		wish.Criteria = append(wish.Criteria, core.Plain(c.Text)+"\x00"+c.Check)
	}
	slices.Sort(wish.Criteria)
	for _, list := range [][]string{b.Requires, b.Provided, b.DependsOn, b.Needs, b.Outputs, b.Replaces} {
		list = append([]string{}, list...) // never nil: none is none
		slices.Sort(list)
		wish.Lists = append(wish.Lists, list)
	}
	raw, err := json.Marshal(wish)
	if err != nil { // strings only: cannot fail
		raw = []byte(wish.Task)
	}
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:8])
}
