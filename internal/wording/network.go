package wording

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// Refused says which connections of an attempt were refused; empty if none were.
func Refused(t *core.Traffic) string {
	if t == nil {
		return ""
	}
	var parts []string
	if t.Refused > 0 {
		parts = append(parts, fmt.Sprintf("%s refused (%s)", Count(t.Refused, "connection"), strings.Join(t.Turned, ", ")))
	}
	if t.Unrouted > 0 {
		parts = append(parts, fmt.Sprintf("%s sent past the proxy, to nowhere", Count(int(t.Unrouted), "packet")))
	}
	return strings.Join(parts, "; ")
}

// Allowing says how a person lets agents reach a host that was refused; empty if none was.
func Allowing(t *core.Traffic) string {
	if t == nil || t.Refused == 0 {
		return ""
	}
	return "To allow a host, list it under `network` in the playbook or `network.allow` in your settings, and start a new run: this one keeps its list. " +
		"`stellwerk effects RUN --tool network` says why each was refused."
}

// connection is a record's connection in a line; empty if it is about something else.
func connection(input json.RawMessage) string {
	var c struct {
		Host, Protocol string
		Port           int
		Sent, Received uint64
	}
	if json.Unmarshal(input, &c) != nil || c.Host == "" || c.Protocol == "" {
		return ""
	}
	if strings.Contains(c.Host, ":") {
		c.Host = "[" + c.Host + "]"
	}
	text := fmt.Sprintf("%s:%d (%s)", c.Host, c.Port, c.Protocol)
	if c.Sent > 0 || c.Received > 0 {
		text += fmt.Sprintf(", %s sent, %s received", Bytes(c.Sent), Bytes(c.Received))
	}
	return text
}

// Reach says what can be reached apart from the model.
func Reach(hosts []string) string {
	if len(hosts) == 0 {
		return "nothing"
	}
	return strings.Join(hosts, ", ")
}
