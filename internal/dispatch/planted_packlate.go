//go:build planted

package dispatch

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/object"
	"github.com/stellwerk-dev/stellwerk/internal/planted"
)

// packs with a planted bug are put after the event that names them.
func packs(objects object.Objects) object.Objects {
	if planted.Is("packlate") {
		return late{objects}
	}
	return objects
}

type late struct{ object.Objects }

func (l late) Put(ctx context.Context, r io.Reader, most int64) (string, int64, error) {
	content, err := io.ReadAll(r)
	if err != nil {
		return "", 0, err
	}
	time.AfterFunc(time.Second, func() {
		_, _, _ = l.Objects.Put(context.WithoutCancel(ctx), bytes.NewReader(content), most) // nobody waits for it
	})
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:]), int64(len(content)), nil
}
