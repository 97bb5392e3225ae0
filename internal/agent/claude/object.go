package claude

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// object is one JSON object read to the letter: keys must match exactly and
// may not repeat, and only those levels the Reader looks at are taken apart. A
// tool's input below them is the model's own and may hold anything.
type object map[string]json.RawMessage

var errNotObject = errors.New("not a JSON object")

// UnmarshalJSON reads the object's own level.
func (o *object) UnmarshalJSON(data []byte) error {
	decoder := json.NewDecoder(bytes.NewReader(data))
	start, err := decoder.Token()
	if err != nil {
		return err
	}
	if start != json.Delim('{') {
		return errNotObject
	}
	fields := make(object)
	for decoder.More() {
		token, err := decoder.Token()
		if err != nil {
			return err
		}
		key, isKey := token.(string)
		if _, repeated := fields[key]; repeated || !isKey {
			return fmt.Errorf("the key %q is given twice", key)
		}
		var value json.RawMessage
		if err := decoder.Decode(&value); err != nil {
			return err
		}
		fields[key] = value
	}
	*o = fields
	return nil
}

// get is the value of key, or the zero value if it is absent or of another
// type: programs change their fields, and a transcript outlives them.
func get[T any](o object, key string) T {
	var value, zero T
	if json.Unmarshal(o[key], &value) != nil {
		return zero
	}
	return value
}

// count is a number of tokens or turns, which is never negative.
func count(o object, key string) int64 {
	return max(0, get[int64](o, key))
}

// amount is a sum of money, which is never negative.
func amount(o object, key string) float64 {
	return max(0, get[float64](o, key))
}
