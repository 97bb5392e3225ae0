package core

import "encoding/json"

// Lowered is a form whose bodies are written in an older version than they are
// read in.
func Lowered(reads, writes int, lower func(map[string]json.RawMessage)) Form {
	return Form{Reads: reads, Writes: writes, lower: func(f fields) { lower(f) }}
}

// Encode is a body as a form writes it.
func (f Form) Encode(body Body) (json.RawMessage, error) { return f.encode(body) }
