package broker

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// deepest bounds how deep the broker looks into a request. Parts of messages lie less than half as deep.
const deepest = 32

// outward finds what would make the provider connect to a host of the agent's choice: a server of tools, a tool that fetches
// pages, an image or a document given by URL. An agent could put anything it wants to send out into such a URL.
func (messages) outward(body []byte) error {
	if bytes.IndexByte(body, 0) >= 0 { // JSON in UTF-8 has none, and every text in UTF-16 or UTF-32 has
		return errors.New("it cannot be read, because it is not in UTF-8")
	}
	if !mentionsHosts(body) {
		return nil
	}
	fields, err := fieldsOf(body)
	if err != nil {
		return err
	}
	if raw := bytes.TrimSpace(fields["mcp_servers"].raw); len(raw) > 0 && string(raw) != "null" && string(raw) != "[]" {
		return errors.New("mcp_servers")
	}
	return errors.Join(fetchingTools(fields["tools"].raw), sources(fields["messages"].raw, deepest), sources(fields["system"].raw, deepest))
}

// fetches reports a type of tool for which the provider itself connects to hosts.
func fetches(kind string) bool {
	return strings.HasPrefix(kind, "web_fetch") || strings.HasPrefix(kind, "mcp_")
}

// mentionsHosts is a quick first look, because nearly all requests have nothing of the kind.
func mentionsHosts(body []byte) bool {
	for key, value := range members(body) {
		if unquoted(key) != "type" {
			continue
		}
		if kind := unquoted(value); kind == "url" || fetches(kind) {
			return true
		}
	}
	return false
}

// unquoted decodes what is between the quotation marks of a JSON text.
func unquoted(raw []byte) string {
	var text string
	if bytes.IndexByte(raw, '\\') < 0 || json.Unmarshal(append(append([]byte{'"'}, raw...), '"'), &text) != nil {
		return string(raw)
	}
	return text
}

func fetchingTools(raw json.RawMessage) error {
	if len(raw) == 0 {
		return nil
	}
	var tools []json.RawMessage
	if err := json.Unmarshal(raw, &tools); err != nil {
		return fmt.Errorf("tools: %w", err)
	}
	for _, tool := range tools {
		kind, err := typeOf(tool)
		if err != nil {
			return fmt.Errorf("tools: %w", err)
		}
		if fetches(kind) {
			return fmt.Errorf("the tool %s", shorten(kind))
		}
	}
	return nil
}

// sources looks for parts that are given by URL. It skips the input of tool calls, which is the agent's own text.
func sources(raw json.RawMessage, depth int) error {
	raw = bytes.TrimSpace(raw)
	switch {
	case len(raw) == 0 || raw[0] != '[' && raw[0] != '{':
		return nil
	case depth == 0:
		return errors.New("messages: they are nested too deeply")
	case raw[0] == '[':
		var parts []json.RawMessage
		if err := json.Unmarshal(raw, &parts); err != nil {
			return fmt.Errorf("messages: %w", err)
		}
		for _, part := range parts {
			if err := sources(part, depth-1); err != nil {
				return err
			}
		}
		return nil
	}
	fields, err := fieldsOf(raw)
	if err != nil {
		return fmt.Errorf("messages: %w", err)
	}
	for name, f := range fields {
		if name == "input" {
			continue
		}
		if name == "source" {
			if kind, err := typeOf(f.raw); err != nil || kind == "url" {
				return errors.Join(errors.New("a source that is a URL"), err)
			}
		}
		if err := sources(f.raw, depth-1); err != nil {
			return err
		}
	}
	return nil
}

// typeOf is the type that an object names; empty for any other value.
func typeOf(raw json.RawMessage) (string, error) {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || raw[0] != '{' {
		return "", nil
	}
	fields, err := fieldsOf(raw)
	if err != nil {
		return "", err
	}
	var kind string
	if given := fields["type"].raw; given != nil && json.Unmarshal(given, &kind) != nil {
		return "", errors.New("a type must be a text")
	}
	return kind, nil
}
