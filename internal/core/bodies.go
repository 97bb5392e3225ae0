package core

// Bodies remembers what the events of a stream say, by number, so that several readers decode each only once.
type Bodies map[int64]Body

// Read decodes an event that is not known yet.
func (b Bodies) Read(e Event) (Body, error) {
	if body, known := b[e.Seq]; known {
		return body, nil
	}
	body, err := Decode(e)
	if err == nil {
		b[e.Seq] = body
	}
	return body, err
}
