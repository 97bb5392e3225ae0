package playbook

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/check"
	"github.com/stellwerk-dev/stellwerk/internal/config/yamlfile"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// Schema is the published JSON Schema (draft 2020-12) of playbook files.
func Schema() json.RawMessage {
	p := &parser{}
	fields, kinds := p.commonFields(), []yamlfile.Schema{}
	for _, kind := range Kinds() {
		own := p.kindFields(kind)
		rule := kindRules(kind)
		rule["required"] = own.Needed()
		for _, other := range Kinds() {
			for _, field := range p.kindFields(other) {
				if !slices.Contains(own.Keys(), field.Key) {
					rule["properties"].(yamlfile.Schema)[field.Key] = false
				}
				if !slices.Contains(fields.Keys(), field.Key) {
					fields = append(fields, field)
				}
			}
		}
		kinds = append(kinds, yamlfile.Schema{"if": has("kind", kind), "then": rule})
	}
	root := fields.Schema(yamlfile.Schema{
		"$schema": "https://json-schema.org/draft/2020-12/schema",
		"$id":     "urn:stellwerk:playbook:1",
		"title":   "Stellwerk playbook",
		"description": "Says how a run is driven. Rules that span several values (roles that exist, inputs an earlier phase hands in) " +
			"are checked by `stellwerk playbook validate`.",
		"required": []string{"name", "kind"},
		"allOf":    kinds,
		"$defs":    yamlfile.Schema{"check": (&subject{}).schema(), "treeCheck": (&subject{merges: true}).schema()},
	})
	text, err := json.MarshalIndent(root, "", "  ")
	if err != nil {
		panic("playbook: the schema cannot be written: " + err.Error())
	}
	return text
}

// kindRules are the rules of the schema about several fields of a kind.
func kindRules(kind string) yamlfile.Schema {
	properties := yamlfile.Schema{}
	rules := yamlfile.Schema{"properties": properties}
	switch kind {
	case KindRules:
		properties["steps"] = yamlfile.Schema{"if": has("review", string(core.ReviewNever)), "else": yamlfile.Schema{"required": []string{"reviewer"}}}
	case KindManager:
		properties["steps"] = without("review", "rounds")
	case KindWaves:
		named := yamlfile.Schema{"required": []string{"waves"}, "properties": yamlfile.Schema{"waves": yamlfile.Schema{"required": []string{"workers"}}}}
		code := yamlfile.Schema{"required": []string{"waves"}, "properties": yamlfile.Schema{"waves": has("writes", string(core.WritesCode))}}
		rules["anyOf"], rules["if"] = []yamlfile.Schema{{"required": []string{"roles"}}, named}, code
		rules["else"] = yamlfile.Schema{"properties": yamlfile.Schema{"publish": false, "waves": without("done")}}
	}
	return rules
}

// has describes an object in which a key has a value.
func has(key, value string) yamlfile.Schema {
	return yamlfile.Schema{"required": []string{key}, "properties": yamlfile.Schema{key: yamlfile.Schema{"const": value}}}
}

// without describes an object that lacks some keys.
func without(keys ...string) yamlfile.Schema {
	properties := yamlfile.Schema{}
	for _, key := range keys {
		properties[key] = false
	}
	return yamlfile.Schema{"properties": properties}
}

// anyRequired describes, one by one, objects that have a key.
func anyRequired(keys ...string) []yamlfile.Schema {
	var all []yamlfile.Schema
	for _, key := range keys {
		all = append(all, yamlfile.Schema{"required": []string{key}})
	}
	return all
}

// inlineSchema reads the JSON Schema of an artifact.
func inlineSchema(v yamlfile.Value) json.RawMessage {
	if !v.IsMap() {
		v.Fail("expected a JSON Schema as a map", "")
		return nil
	}
	data, ok := v.JSON()
	if !ok {
		return nil
	}
	if err := check.ValidSchema(data); err != nil {
		v.Fail("is not a valid JSON Schema: "+strings.Join(strings.Fields(err.Error()), " "), "")
		return nil
	}
	return data
}

// canonicalJSON orders the keys of JSON that is known to be valid and removes its layout, so that equal schemas are equal
// bytes.
func canonicalJSON(data []byte) json.RawMessage {
	var value any
	if err := json.Unmarshal(data, &value); err != nil {
		return data
	}
	canonical, err := json.Marshal(value)
	if err != nil {
		return data
	}
	return canonical
}
