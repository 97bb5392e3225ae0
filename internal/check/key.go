package check

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// Key names a verdict by what it depends on: tree, artifacts, check and environment. It is a SHA-256 over canonical
// JSON, so the same inputs give the same key in every process and version of one layout. It suits commands, which look at
// nothing else; `changed` and `state` checks are cheap to run again.
func Key(c core.Check, s Subject, environment string) string {
	var artifacts []core.Artifact
	if s.Delivery != nil {
		artifacts = slices.Clone(s.Delivery.Artifacts)
	}
	slices.SortFunc(artifacts, func(a, b core.Artifact) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Digest, b.Digest))
	})
	sum := sha256.Sum256(canonical(map[string]any{
		"v": 1, "tree": s.tree(), "artifacts": artifacts, "check": c, "environment": environment,
	}))
	return hex.EncodeToString(sum[:])
}

// canonical is JSON with sorted keys and numbers as written. Only a raw schema that is not JSON could fail, and Validate
// refuses that before a key is made.
func canonical(v any) []byte {
	raw, err := json.Marshal(v)
	if err != nil {
		panic("check: key of a check that was not validated: " + err.Error())
	}
	var generic any
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	if err := dec.Decode(&generic); err != nil {
		panic("check: reading back our own JSON: " + err.Error())
	}
	sorted, err := json.Marshal(generic)
	if err != nil {
		panic("check: writing back our own JSON: " + err.Error())
	}
	return sorted
}
