package broker

import (
	"encoding/json"

	"github.com/stellwerk-dev/stellwerk/internal/ledger"
)

// messageUsage is usage as the Messages API writes it. A field that is absent says nothing.
type messageUsage struct {
	Input      *int64 `json:"input_tokens"`
	Output     *int64 `json:"output_tokens"`
	CacheRead  *int64 `json:"cache_read_input_tokens"`
	CacheWrite *int64 `json:"cache_creation_input_tokens"`
	Creation   *struct {
		Hour int64 `json:"ephemeral_1h_input_tokens"`
	} `json:"cache_creation"`
	Server *struct {
		Searches int64 `json:"web_search_requests"`
	} `json:"server_tool_use"`
	Iterations []iteration `json:"iterations"`
}

// iteration is one of several calls of a model that an answer took.
type iteration struct {
	Type  string `json:"type"`
	Model string `json:"model"`
	messageUsage
}

// others are the calls that the totals leave out: those of an advisor, which may be another model, and those for a
// compaction. Unknown types count too.
func (m messageUsage) others() []charge {
	var list []charge
	for _, i := range m.Iterations {
		if i.Type != "message" && i.Type != "fallback_message" {
			list = append(list, charge{i.Model, i.onto(ledger.Usage{})})
		}
	}
	return list
}

// onto updates a usage with what the provider said. All figures are totals of the message so far.
func (m messageUsage) onto(u ledger.Usage) ledger.Usage {
	set := func(to *int64, said *int64) {
		if said != nil {
			*to = max(*to, *said)
		}
	}
	set(&u.Input, m.Input)
	set(&u.Output, m.Output)
	set(&u.CacheRead, m.CacheRead)
	if m.CacheWrite != nil {
		writes := max(*m.CacheWrite, u.CacheWrite+u.CacheWrite1h)
		if m.Creation != nil {
			u.CacheWrite1h = max(u.CacheWrite1h, m.Creation.Hour)
		}
		u.CacheWrite1h = min(u.CacheWrite1h, writes)
		u.CacheWrite = writes - u.CacheWrite1h
	}
	if m.Server != nil {
		u.Searches = max(u.Searches, m.Server.Searches)
	}
	return u
}

// messageStream meters a streamed message.
type messageStream struct {
	events eventReader
	now    reading
	open   string // type of the content block under way
	shown  bool   // something of that block was seen
}

func (m *messageStream) feed(p []byte) int {
	m.events.take = m.event
	return m.events.feed(p)
}

// reading also counts what has come of an event that is not whole yet.
func (m *messageStream) reading() reading {
	now := m.now
	now.silent = m.open == "thinking" && !m.shown
	if string(m.events.name) == "content_block_delta" {
		now.text += int64(len(m.events.line) + len(m.events.data))
	}
	return now
}

type messageEvent struct {
	Type    string `json:"type"`
	Message struct {
		Usage messageUsage `json:"usage"`
	} `json:"message"`
	Usage *messageUsage `json:"usage"`
	Block struct {
		Type string `json:"type"`
		Name string `json:"name"`
		Text string `json:"text"`
	} `json:"content_block"`
}

func (m *messageStream) event(name string, data []byte) {
	if name == "content_block_delta" {
		m.delta(data)
		return
	}
	var e messageEvent
	if json.Unmarshal(data, &e) != nil {
		m.now.text += int64(len(data)) // an upper bound, whatever it is
		return
	}
	switch e.Type {
	case "message_start":
		m.now.usage = e.Message.Usage.onto(m.now.usage)
		m.now.prompt = e.Message.Usage.Input != nil
	case "message_delta":
		if e.Usage != nil {
			m.now.usage = e.Usage.onto(m.now.usage)
			m.now.others = e.Usage.others()
			m.now.final = e.Usage.Output != nil
			m.now.prompt = m.now.prompt || e.Usage.Input != nil
		}
	case "content_block_start":
		m.open, m.shown = e.Block.Type, false
		m.now.text += int64(len(e.Block.Name) + len(e.Block.Text))
	case "content_block_delta":
		m.delta(data)
	case "content_block_stop":
		m.open = ""
	}
}

// delta counts what was added. Nearly all events are deltas, so it scans them instead of decoding them. A signature stands
// for thinking that was not shown; estimated_tokens are the tokens of such thinking since the last delta.
func (m *messageStream) delta(data []byte) {
	shown, signature := int64(0), int64(0)
	for key, value := range members(data) {
		switch string(key) {
		case "text", "thinking", "partial_json":
			shown += int64(len(value))
		case "signature":
			signature += int64(len(value))
		case "estimated_tokens":
			if n, err := whole(value); err == nil {
				shown += n * bytesPerToken
			}
		}
	}
	if !m.shown {
		shown += signature
	}
	m.now.text += shown
	m.shown = m.shown || shown > 0
}

// messageBody meters a message that comes as one piece.
type messageBody struct {
	body []byte
	size int64
}

func (m *messageBody) feed(p []byte) int {
	m.size += int64(len(p))
	if len(m.body)+len(p) <= longestEvent {
		m.body = append(m.body, p...)
	}
	return len(p)
}

func (m *messageBody) reading() reading {
	var message struct {
		Usage *messageUsage `json:"usage"`
	}
	r := reading{text: m.size}
	if m.size == int64(len(m.body)) && json.Unmarshal(m.body, &message) == nil && message.Usage != nil {
		r.usage = message.Usage.onto(ledger.Usage{})
		r.others = message.Usage.others()
		r.prompt = message.Usage.Input != nil
		r.final = message.Usage.Output != nil
	}
	return r
}
