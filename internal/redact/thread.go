package redact

// Thread redacts texts that follow each other, such as the messages of one agent: a private key that one of them began
// is hidden in the next. It is not safe for concurrent use.
type Thread struct {
	redactor *Redactor
	keys     keyState
}

// Thread begins one.
func (r *Redactor) Thread() *Thread { return &Thread{redactor: r} }

// Find is a place in a text that looks like a secret.
type Find struct {
	Name       string // of the secret or the rule
	Start, End int
}

// Finds says where the next text has secrets, in their order.
func (t *Thread) Finds(text []byte) []Find {
	spans := t.find(text)
	finds := make([]Find, len(spans))
	for i, s := range spans {
		finds[i] = Find{Name: s.name, Start: s.start, End: s.end}
	}
	return finds
}

// String returns the next text without secrets, and the text itself if there are none.
func (t *Thread) String(s string) string {
	in := []byte(s)
	spans := t.find(in)
	if len(spans) == 0 {
		return s
	}
	return string(t.redactor.render(nil, in, spans))
}

func (t *Thread) find(text []byte) []span {
	t.keys.hanging = false // each text says for itself that something was hidden in it
	spans, _ := t.redactor.findPending(text, &budget{left: t.redactor.baseWork + workShare*len(text)}, &t.keys)
	return spans
}
