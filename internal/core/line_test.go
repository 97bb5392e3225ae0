package core_test

import (
	"bytes"
	"encoding/json"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// A line is a pure function of its event, whoever writes it and in whatever
// version: what is put together by hand must be what encoding/json makes.
func TestLineIsWhatEncodingJSONMakes(t *testing.T) {
	ordinary := rapid.StringMatching(`[a-zA-Z0-9/#. -]{0,20}`)
	strange := rapid.OneOf(ordinary, rapid.StringMatching(`[ -~]{0,12}`), rapid.String())
	raw := rapid.SampledFrom([]string{
		`{}`, `{"a":1}`, `{ "a": 1 }`, `{"a":"<b> & c"}`, `{"a":"\u003cb\u003e"}`, `{"a":" x "}`, `{"a":"\"}{"}`, `{"a":"ü"}`,
		`{"a":[1,{"b":[]}],"c":null}`, "{\"a\":\t1}", `[1]`, `null`, `"x"`, `{"a":"` + "\u2028" + `"}`, `{"a":1}x`, `{}{}`, `{"a"`, ``,
	})
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.SampledFrom([]*rapid.Generator[string]{ordinary, strange}).Draw(t, "text")
		e := core.Event{
			ID: text.Draw(t, "id"), Stream: text.Draw(t, "stream"), Seq: rapid.Int64().Draw(t, "seq"),
			Type: core.Type(text.Draw(t, "type")), V: rapid.Int().Draw(t, "v"),
			At: time.UnixMicro(rapid.Int64Range(-1<<56, 1<<56).Draw(t, "at")),
			Actor: core.Actor{
				Kind: core.ActorKind(text.Draw(t, "kind")), ID: text.Draw(t, "actor"), Version: text.Draw(t, "version"),
			},
			Cause: text.Draw(t, "cause"), PrevHash: text.Draw(t, "prev"), Body: json.RawMessage(raw.Draw(t, "body")),
		}
		if rapid.Bool().Draw(t, "utc") {
			e.At = e.At.UTC()
		}
		want, wantErr := json.Marshal(e)
		got, err := e.Line()
		if (err != nil) != (wantErr != nil) || !bytes.Equal(got, want) {
			t.Fatalf("got  %s, %v\nwant %s, %v", got, err, want, wantErr)
		}
	})
}

func BenchmarkLine(b *testing.B) {
	e, _, err := core.Seal("run/0199a000-0000-7000-8000-000000000001", core.Head{Seq: 41, Hash: "ab"}, time.Unix(1, 0),
		core.Engine(), "", core.VerifyConcluded{Task: "build.r1", Attempt: "build.r1.a1", Passed: true, Results: []core.CheckResult{
			{Check: "command: go test ./...", Kind: core.CheckCommand, Passed: true, Detail: "Exit status 0."},
		}})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := e.Line(); err != nil {
			b.Fatal(err)
		}
	}
}
