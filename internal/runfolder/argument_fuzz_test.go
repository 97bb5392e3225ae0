package runfolder

import (
	"encoding/json"
	"testing"
)

// FuzzArguments holds that what is kept of a call's arguments is JSON, and short.
func FuzzArguments(f *testing.F) {
	for _, seed := range []string{`{"command":"a && b"}`, `"text"`, `[1,2e9,null]`, `{"a":{"a":{"a":[]}}}`, `{"a":`, "\xff", `{"n":123456789012345678901234567890}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		short := ShortArguments(data)
		if len(data) == 0 {
			return
		}
		if !json.Valid(short) {
			t.Fatalf("%q is kept as %q", data, short)
		}
		if most := max(len(data), 6*maxArguments+2); len(short) > most {
			t.Fatalf("%d bytes are kept as %d", len(data), len(short))
		}
	})
}
