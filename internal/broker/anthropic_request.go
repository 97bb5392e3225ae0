package broker

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/stellwerk-dev/stellwerk/internal/ledger"
)

// How the broker estimates tokens from bytes. A token is three to five bytes of English or code, so a third of the bytes is
// an upper bound.
const (
	bytesPerToken = 3
	imageTokens   = 5000 // the most that one image counts for; its bytes say nothing about its size
)

const (
	leastAnswer   = 256  // tokens; a shorter answer is not worth its prompt
	leastThinking = 1024 // the API takes no smaller budget for thinking
	mostOutput    = 1 << 30
	abroad        = 1.1 // the factor of the price for a fixed place of inference
)

// tokensIn is how many tokens so many bytes are at most.
func tokensIn(bytes int64) int64 { return (bytes + bytesPerToken - 1) / bytesPerToken }

func (messages) request(body []byte) (request, error) {
	fields, err := fieldsOf(body)
	if err != nil {
		return request{}, err
	}
	r := request{factor: 1}
	if err := json.Unmarshal(fields["model"].raw, &r.model); err != nil || r.model == "" {
		return request{}, errors.New("model: a text is required")
	}
	if r.output, err = whole(fields["max_tokens"].raw); err != nil {
		return request{}, fmt.Errorf("max_tokens: %w", err)
	}
	if f, given := fields["stream"]; given && json.Unmarshal(f.raw, &r.stream) != nil {
		return request{}, errors.New("stream: true or false is required")
	}
	if speed, given := fields["speed"]; given && string(speed.raw) != `"standard"` && string(speed.raw) != "null" {
		r.fast = true // however it is spelled
	}
	if place, given := fields["inference_geo"]; given && string(place.raw) != `"global"` && string(place.raw) != "null" {
		r.factor = abroad
	}
	r.prompt = promptOf(body, fields)
	thinking, err := budgetOf(fields["thinking"])
	if err != nil {
		return request{}, err
	}
	r.least = min(r.output, leastAnswer)
	if thinking.tokens > 0 {
		r.least = min(r.output, leastThinking+leastAnswer)
	}
	r.clamp = func(output int64) []byte { return clamp(body, fields["max_tokens"], thinking, output) }
	return r, nil
}

func whole(raw []byte) (int64, error) {
	n, err := strconv.ParseInt(string(raw), 10, 64)
	if err != nil || n < 1 || n > mostOutput {
		return 0, errors.New("a positive whole number is required")
	}
	return n, nil
}

// budget is the number of tokens that an answer may use for thinking, and its place in the body.
type budget struct {
	tokens int64
	field
}

func budgetOf(thinking field) (budget, error) {
	if thinking.raw == nil || string(thinking.raw) == "null" {
		return budget{}, nil
	}
	fields, err := fieldsOf(thinking.raw)
	if err != nil {
		return budget{}, fmt.Errorf("thinking: %w", err)
	}
	f, given := fields["budget_tokens"]
	if !given {
		return budget{}, nil
	}
	tokens, err := whole(f.raw)
	if err != nil {
		return budget{}, fmt.Errorf("thinking.budget_tokens: %w", err)
	}
	f.start, f.end = f.start+thinking.start, f.end+thinking.start
	return budget{tokens, f}, nil
}

// clamp lowers max_tokens, and the budget for thinking if the API would refuse the two together. It replaces the later of
// the two first, so that the other keeps its place.
func clamp(body []byte, most field, thinking budget, output int64) []byte {
	edits := []struct {
		field
		value int64
	}{{most, output}}
	if thinking.tokens >= output {
		edits = append(edits, edits[0])
		edits[1].field, edits[1].value = thinking.field, max(leastThinking, output-leastAnswer)
		if edits[0].start < edits[1].start {
			edits[0], edits[1] = edits[1], edits[0]
		}
	}
	for _, e := range edits {
		body = replace(body, e.field, strconv.FormatInt(e.value, 10))
	}
	return body
}

// promptOf estimates what the model reads, as the most expensive kind of input that the request can lead to.
func promptOf(body []byte, fields map[string]field) ledger.Usage {
	size, images := int64(len(body)), int64(0)
	if bytes.Contains(body, []byte(`"image"`)) {
		data := imagesIn(fields["messages"].raw)
		for _, n := range data {
			size -= n
			images += imageTokens
		}
	}
	tokens := tokensIn(size) + images
	switch cached := bytes.Contains(body, []byte(`"cache_control"`)); {
	case cached && bytes.Contains(body, []byte(`"1h"`)):
		return ledger.Usage{CacheWrite1h: tokens}
	case cached:
		return ledger.Usage{CacheWrite: tokens}
	}
	return ledger.Usage{Input: tokens}
}

// part is what tells an image from text in a part of a message.
type part struct {
	Type   string `json:"type"`
	Source struct {
		Type string `json:"type"`
		Data string `json:"data"`
	} `json:"source"`
	Content json.RawMessage `json:"content"`
}

// imagesIn are the sizes of the images that the messages carry themselves.
func imagesIn(raw json.RawMessage) []int64 {
	var list []struct {
		Content json.RawMessage `json:"content"`
	}
	if json.Unmarshal(raw, &list) != nil {
		return nil // the provider will say what is wrong with it
	}
	var sizes []int64
	for _, message := range list {
		sizes = append(sizes, imagesOf(message.Content, 2)...)
	}
	return sizes
}

// imagesOf also looks into a tool's result, which is one level further down.
func imagesOf(raw json.RawMessage, depth int) []int64 {
	var parts []part
	if depth == 0 || len(raw) == 0 || raw[0] != '[' || json.Unmarshal(raw, &parts) != nil {
		return nil
	}
	var sizes []int64
	for _, p := range parts {
		switch {
		case p.Type == "image" && p.Source.Type == "base64":
			sizes = append(sizes, int64(len(p.Source.Data)))
		case p.Type == "tool_result":
			sizes = append(sizes, imagesOf(p.Content, depth-1)...)
		}
	}
	return sizes
}
