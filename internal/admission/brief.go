package admission

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// Brief is a planner's delegation as a piece of work. Beside its documents it hands in its answer, under its own id.
func Brief(b core.Brief) Piece {
	return Piece{
		ID: b.ID, Key: briefKey(b), Role: b.Agent, Needs: b.Needs, Requires: b.Requires, Provided: b.Provided,
		Outputs: append(slices.Clone(b.Outputs), b.ID), After: b.DependsOn, Flaw: b.Flaw(),
	}
}

// briefKey is equal for the same delegation under another id, however its lists are ordered and its words are spaced and
// capitalised.
func briefKey(b core.Brief) string {
	var criteria []string
	for _, c := range b.Criteria {
		criteria = append(criteria, core.Plain(c.Text)+"\x00"+c.Check)
	}
	slices.Sort(criteria)
	lists := [][]string{{b.Agent, core.Plain(b.Task)}, criteria}
	for _, list := range [][]string{b.Requires, b.Provided, b.DependsOn, b.Needs, b.Outputs, b.Replaces} {
		list = slices.Clone(list)
		slices.Sort(list)
		lists = append(lists, list)
	}
	var wish []byte
	for _, list := range lists {
		wish = append(strconv.AppendInt(wish, int64(len(list)), 10), '\n')
		for _, word := range list {
			wish = append(strconv.AppendInt(wish, int64(len(word)), 10), ' ')
			wish = append(wish, word...)
		}
	}
	sum := sha256.Sum256(wish)
	return hex.EncodeToString(sum[:8])
}
