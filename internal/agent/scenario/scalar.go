package scenario

import (
	"encoding/json"
	"regexp"
	"time"

	"go.yaml.in/yaml/v3"
)

// String stores a scalar as it is written.
func String(dst *string) Decoder {
	return func(node *yaml.Node) error {
		node = resolve(node)
		if node.Kind != yaml.ScalarNode {
			return Errorf(node, "expected a string")
		}
		*dst = node.Value
		return nil
	}
}

// Int stores a whole number that is not negative.
func Int[T int | int64](dst *T) Decoder {
	return func(node *yaml.Node) error {
		if err := resolve(node).Decode(dst); err != nil || *dst < 0 {
			return Errorf(node, "expected a whole number, not negative")
		}
		return nil
	}
}

// Float stores a number that is not negative.
func Float(dst *float64) Decoder {
	return func(node *yaml.Node) error {
		if err := resolve(node).Decode(dst); err != nil || *dst < 0 {
			return Errorf(node, "expected a number, not negative")
		}
		return nil
	}
}

// Bool stores true or false.
func Bool(dst *bool) Decoder {
	return func(node *yaml.Node) error {
		if err := resolve(node).Decode(dst); err != nil {
			return Errorf(node, "expected true or false")
		}
		return nil
	}
}

// Duration stores a length of time such as 250ms or 1m30s.
func Duration(dst *time.Duration) Decoder {
	return func(node *yaml.Node) error {
		length, err := time.ParseDuration(resolve(node).Value)
		if err != nil || length < 0 {
			return Errorf(node, "expected a length of time such as 250ms or 2s")
		}
		*dst = length
		return nil
	}
}

// Regexp stores a regular expression in Go's syntax.
func Regexp(dst **regexp.Regexp) Decoder {
	return func(node *yaml.Node) error {
		var text string
		if err := String(&text)(node); err != nil {
			return err
		}
		compiled, err := regexp.Compile(text)
		if err != nil {
			return Errorf(node, "not a regular expression: %v", err)
		}
		*dst = compiled
		return nil
	}
}

// JSON stores any YAML value as the JSON it corresponds to.
func JSON(dst *json.RawMessage) Decoder {
	return func(node *yaml.Node) error {
		var value any
		if err := resolve(node).Decode(&value); err != nil {
			return Errorf(node, "%v", err)
		}
		encoded, err := json.Marshal(value)
		if err != nil {
			return Errorf(node, "not expressible in JSON: %v", err)
		}
		*dst = encoded
		return nil
	}
}

// StringMap stores a mapping of strings to strings with any keys.
func StringMap(dst *map[string]string) Decoder {
	return func(node *yaml.Node) error {
		if err := resolve(node).Decode(dst); err != nil {
			return Errorf(node, "expected a mapping of strings to strings")
		}
		return nil
	}
}
