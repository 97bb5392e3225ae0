package store

import (
	"encoding/binary"
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// Value is a record's value of a column; nil if it is absent, or the table has no such column.
func (r Record) Value(column string) any {
	for i, c := range r.Table.Columns {
		if c.Name == column {
			return r.Values[i]
		}
	}
	return nil
}

// With is the record with another value of a column.
func (r Record) With(column string, value any) Record {
	values := slices.Clone(r.Values)
	for i, c := range r.Table.Columns {
		if c.Name == column {
			values[i] = value
		}
	}
	return Record{r.Table, values}
}

// Text is a record's text of a column.
func (r Record) Text(column string) string {
	value, _ := r.Value(column).(string)
	return value
}

// Integer is a record's number of a column.
func (r Record) Integer(column string) int64 {
	value, _ := r.Value(column).(int64)
	return value
}

// Moment is a record's time of a column.
func (r Record) Moment(column string) time.Time {
	value, _ := r.Value(column).(time.Time)
	return value
}

// Bytes are a record's bytes of a column.
func (r Record) Bytes(column string) []byte {
	value, _ := r.Value(column).([]byte)
	return value
}

// Event is the event of a record of TableEvents.
func (r Record) Event() (core.Event, error) {
	e := core.Event{
		ID: r.Text("id"), Stream: r.Text("stream"), Seq: r.Integer("seq"), Type: core.Type(r.Text("type")), V: int(r.Integer("v")),
		At: r.Moment("at"), Cause: r.Text("cause"), PrevHash: r.Text("prev_hash"), Body: r.Bytes("body"),
	}
	var err error
	e.Actor, err = core.ReadActor(e, []byte(r.Text("actor")))
	return e, err
}

// AppendTo appends the one form in which a record can be compared with others: the table's name, and each value with what it is
// and how long.
func (r Record) AppendTo(b []byte) ([]byte, error) {
	b = appendBytes(b, 't', r.Table.Name)
	for i, value := range r.Values {
		switch v := value.(type) {
		case nil:
			b = append(b, '-')
		case string:
			b = appendBytes(b, 's', v)
		case []byte:
			b = appendBytes(b, 'b', v)
		case int64:
			b = binary.BigEndian.AppendUint64(append(b, 'i'), uint64(v)) //nolint:gosec // a number's bits
		case float64:
			b = binary.BigEndian.AppendUint64(append(b, 'f'), math.Float64bits(v))
		case time.Time:
			b = binary.BigEndian.AppendUint64(append(b, 'm'), uint64(v.UnixMicro())) //nolint:gosec // a number's bits
		case bool:
			if v {
				b = append(b, '1')
			} else {
				b = append(b, '0')
			}
		default:
			return b, core.Errorf(core.CodeInternal, "%s.%s is a %T", r.Table.Name, r.Table.Columns[i].Name, value)
		}
	}
	return b, nil
}

func appendBytes[T string | []byte](b []byte, kind byte, data T) []byte {
	b = binary.BigEndian.AppendUint64(append(b, kind), uint64(len(data)))
	return append(b, data...)
}

// Fits refuses a record whose values are not what its table's columns hold.
func (r Record) Fits() error {
	if len(r.Values) != len(r.Table.Columns) {
		return core.Errorf(core.CodeInternal, "a record of %s has %d values, not %d", r.Table.Name, len(r.Values), len(r.Table.Columns))
	}
	for i, c := range r.Table.Columns {
		if !c.holds(r.Values[i]) {
			return core.Errorf(core.CodeInternal, "%s.%s is a %T", r.Table.Name, c.Name, r.Values[i])
		}
	}
	return nil
}

func (c Column) holds(value any) (fits bool) {
	if value == nil {
		return c.Optional
	}
	switch c.Kind {
	case Text:
		_, fits = value.(string)
	case Integer:
		_, fits = value.(int64)
	case Real:
		_, fits = value.(float64)
	case Flag:
		_, fits = value.(bool)
	case Moment:
		_, fits = value.(time.Time)
	case Bytes:
		_, fits = value.([]byte)
	}
	return fits
}

// Clean makes text of anything: not every store keeps a zero byte or what is not UTF-8, and a projection never stands in the way
// of an event.
func Clean(s string) string {
	if utf8.ValidString(s) && strings.IndexByte(s, 0) < 0 {
		return s
	}
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\ufffd"), "\x00", "\ufffd")
}
