package broker_test

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

// What is set aside for a request, before the provider has said anything: a third of its bytes as input, an image for the
// most that an image can count for, at the dearest kind of input that can come of it.
func TestWhatIsSetAside(t *testing.T) {
	image := func(kind string, size int) string {
		return fmt.Sprintf(`{"type":%q,"source":{"type":"base64","media_type":"image/png","data":%q}}`, kind, strings.Repeat("A", size))
	}
	ask := func(content string) string {
		return fmt.Sprintf(`{"model":"claude-opus-5-5","max_tokens":1000,"messages":[{"role":"user","content":%s}]}`, content)
	}
	without := func(body string, size int) int64 { return int64(len(body)-size+2) / 3 }
	text := ask(`"` + strings.Repeat("A", 90000) + `"`)
	small, large := ask("["+image("image", 3000)+"]"), ask("["+image("image", 900000)+","+image("image", 600000)+"]")
	result := ask(`[{"type":"tool_result","content":[` + image("image", 900000) + `]}]`)
	document := ask("[" + image("document", 90000) + `,{"type":"text","text":"\"image\""}]`)
	cached := ask(`[{"type":"text","text":"hi","cache_control":{"type":"ephemeral"}}]`)
	hour := ask(`[{"type":"text","text":"hi","cache_control":{"type":"ephemeral","ttl":"1h"}}]`)
	for name, c := range map[string]struct {
		body  string
		input int64
		each  float64 // dollars for a million tokens of the prompt
	}{
		"text that could be an image": {text, without(text, 0), 4},
		"small image":                 {small, without(small, 3000) + 5000, 4},
		"large images":                {large, without(large, 1500000) + 10000, 4},
		"image of a tool":             {result, without(result, 900000) + 5000, 4},
		"document":                    {document, without(document, 0), 4},
		"cached":                      {cached, without(cached, 0), 5},
		"cached for an hour":          {hour, without(hour, 0), 8},
	} {
		t.Run(name, func(t *testing.T) {
			w := serve(t, says(200, "application/json", plainAnswer))
			_, x := w.ask(c.body)
			usd := float64(c.input)*c.each*1e-6 + 0.02
			if x.Reserved.Tokens != c.input+1000 || math.Abs(x.Reserved.USD-usd) > 1e-9 {
				t.Errorf("set aside was %+v, not $%f and %d tokens", x.Reserved, usd, c.input+1000)
			}
		})
	}
}
