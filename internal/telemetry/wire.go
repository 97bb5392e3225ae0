package telemetry

import (
	"encoding/binary"
	"math"
)

// What is sent is a message of OTLP, ExportTraceServiceRequest, as protobuf: the
// numbers of fields below are those of opentelemetry/proto/trace/v1. It is written
// by hand, because the generated messages cost every start of the program.

// message is a protobuf message under construction.
type message []byte

const (
	wireVarint = 0
	wire64     = 1
	wireBytes  = 2
)

func (m *message) tag(field, kind int) {
	*m = binary.AppendUvarint(*m, uint64(field)<<3|uint64(kind))
}

func (m *message) bytes(field int, b []byte) {
	if len(b) == 0 {
		return
	}
	m.tag(field, wireBytes)
	*m = append(binary.AppendUvarint(*m, uint64(len(b))), b...)
}

func (m *message) varint(field int, n uint64) {
	m.tag(field, wireVarint)
	*m = binary.AppendUvarint(*m, n)
}

func (m *message) fixed(field int, n uint64) {
	m.tag(field, wire64)
	*m = binary.LittleEndian.AppendUint64(*m, n)
}

// attribute is a KeyValue. Its value is a string, an int64, a float64 or a bool.
type attribute struct {
	key   string
	value any
}

func (a attribute) encode() message {
	var value, m message
	switch v := a.value.(type) {
	case string:
		value.tag(1, wireBytes)
		value = append(binary.AppendUvarint(value, uint64(len(v))), v...)
	case bool:
		value.varint(2, map[bool]uint64{true: 1}[v])
	case int64:
		value.varint(3, uint64(v))
	case float64:
		value.fixed(4, math.Float64bits(v))
	}
	m.bytes(1, []byte(a.key))
	m.bytes(2, value)
	return m
}

func encode(s span) message {
	var m, status message
	m.bytes(1, s.trace)
	m.bytes(2, s.id)
	m.bytes(4, s.parent)
	m.bytes(5, []byte(s.name))
	m.varint(6, 1) // SPAN_KIND_INTERNAL
	m.fixed(7, s.began)
	m.fixed(8, s.ended)
	for _, a := range s.attributes {
		m.bytes(9, a.encode())
	}
	if s.status != statusUnset {
		status.varint(3, uint64(s.status))
		m.bytes(15, status)
	}
	return m
}

// encodeRequest is a batch of spans of one resource and scope.
func encodeRequest(resource []attribute, scope, version string, batch []span) []byte {
	var about, library, scoped, of, request message
	for _, a := range resource {
		about.bytes(1, a.encode())
	}
	library.bytes(1, []byte(scope))
	library.bytes(2, []byte(version))
	scoped.bytes(1, library)
	for _, s := range batch {
		scoped.bytes(2, encode(s))
	}
	of.bytes(1, about)
	of.bytes(2, scoped)
	request.bytes(1, of)
	return request
}

// rejected reads from an ExportTraceServiceResponse how many spans were rejected:
// field 1 of its field 1. What cannot be read counts as none.
func rejected(answer []byte) int {
	n, _ := binary.Uvarint(field(field(answer, wireBytes), wireVarint))
	return int(min(n, math.MaxInt32))
}

// field is the content of field 1 of a message if it comes first, as it does in
// canonical form.
func field(m []byte, kind byte) []byte {
	if len(m) < 2 || m[0] != 1<<3|kind {
		return nil
	}
	m = m[1:]
	if kind == wireVarint {
		return m
	}
	size, n := binary.Uvarint(m)
	if n <= 0 || size > uint64(len(m)-n) {
		return nil
	}
	return m[n : n+int(size)]
}
