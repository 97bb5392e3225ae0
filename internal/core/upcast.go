package core

import "encoding/json"

// upcast turns a body of an older version into the current one. It is pure and
// total: what it cannot read it leaves to decode, which says what is wrong.
func upcast(t Type, v int, raw json.RawMessage) json.RawMessage {
	if v != 1 {
		return raw
	}
	switch t {
	case TypeRunPaused:
		return within(raw, func(pause fields) { pause.advise("next") })
	case TypeAllowanceReserved:
		return within(raw, func(reserved fields) {
			if short, has := reserved["short"]; has {
				reserved["short"] = within(short, func(short fields) { short.advise("next") })
			}
		})
	case TypeEpicRefused:
		return within(raw, func(refused fields) { refused.advise("hint") })
	case TypeMergeGranted: // the request that submitted it moved the base, or did not: it is not to be moved now
		return within(raw, func(granted fields) { granted.put("by_hand", true, true) })
	default:
		return raw
	}
}

// fields are those of a JSON object.
type fields map[string]json.RawMessage

// within changes the fields of an object; anything else stays as it is.
func within(raw json.RawMessage, change func(fields)) json.RawMessage {
	var object fields
	if json.Unmarshal(raw, &object) != nil || object == nil {
		return raw
	}
	change(object)
	changed, err := json.Marshal(object)
	if err != nil {
		return raw
	}
	return changed
}

// advise puts choices in the place of the text that named commands.
func (f fields) advise(name string) {
	text, isText := "", false
	if raw, has := f[name]; has {
		isText = json.Unmarshal(raw, &text) == nil
	}
	if !isText {
		return
	}
	delete(f, name)
	advice := readAdvice(text)
	f.put("hint", advice.Hint, advice.Hint != "")
	f.put("choices", advice.Choices, len(advice.Choices) > 0)
}

func (f fields) put(name string, value any, there bool) {
	raw, err := json.Marshal(value)
	if err == nil && there && !dropped(name) {
		f[name] = raw
	}
}
