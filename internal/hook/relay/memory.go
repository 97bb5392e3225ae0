package relay

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/google/renameio/v2"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/strictjson"
)

// The files in which the hooks of a session remember something between events.
// Losing one costs a repetition, nothing more.
const (
	blocksFile = "blocks.json" // what the session was told to start, and how often
	stepFile   = "step.json"   // how the last step ended
	saidFile   = "said.json"   // the person's last words
	rungFile   = "rung.json"   // what was rung for last
)

// told is what a session or its person was told last, and how often.
type told struct {
	What  string `json:"what"`
	Times int    `json:"times,omitempty"`
}

// countBlock counts how often the session was told the same.
func (c call) countBlock(what string) (int, error) {
	var b told
	c.recall(blocksFile, &b)
	if b.What != what {
		b = told{What: what}
	}
	b.Times++
	return b.Times, c.remember(blocksFile, b)
}

// step is how the handling of one Stop event ended.
type step struct {
	Event string       `json:"event"` // digest
	Turn  api.TurnKind `json:"turn"`
	At    time.Time    `json:"at"`
}

func (c call) record(kind api.TurnKind) error {
	return c.remember(stepFile, step{Event: digest(c.data), Turn: kind, At: c.Now()})
}

func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

func (c call) remember(file string, v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("encode %s: %w", file, err)
	}
	if err := renameio.WriteFile(filepath.Join(c.dir, file), data, 0o600, renameio.WithTempDir(c.dir)); err != nil {
		return fmt.Errorf("remember %s: %w", file, err)
	}
	return nil
}

// recall reads what was remembered. What cannot be read counts as forgotten.
func (c call) recall(file string, v any) {
	data, err := os.ReadFile(filepath.Join(c.dir, file))
	if err == nil {
		err = strictjson.Unmarshal(data, v)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		c.entry.Error = err.Error()
	}
}

func (c call) forget(file string) error {
	if err := os.Remove(filepath.Join(c.dir, file)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("forget %s: %w", file, err)
	}
	return nil
}
