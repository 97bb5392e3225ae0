package telemetry

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// Export says where spans are sent, and how.
type Export struct {
	URL      string
	Headers  map[string]string
	Timeout  time.Duration
	Gzip     bool
	Service  string
	Resource map[string]string // further attributes of the resource
}

// The variables of OpenTelemetry that are read. Of those that come in two forms,
// the one for traces goes before the one for everything.
const (
	otlp       = "OTEL_EXPORTER_OTLP_"
	otlpTraces = "OTEL_EXPORTER_OTLP_TRACES_"
)

// FromEnvironment reads the standard variables of OpenTelemetry. It returns nil if
// none of them asks for traces.
func FromEnvironment(lookup func(string) (string, bool)) (*Export, error) {
	get := func(name string) string {
		value, _ := lookup(name)
		return strings.TrimSpace(value)
	}
	either := func(name string) string {
		if value := get(otlpTraces + name); value != "" {
			return value
		}
		return get(otlp + name)
	}
	address, err := endpoint(get)
	if address == "" || strings.EqualFold(get("OTEL_SDK_DISABLED"), "true") || strings.EqualFold(get("OTEL_TRACES_EXPORTER"), "none") {
		return nil, err
	}
	if p := either("PROTOCOL"); p != "" && p != "http/protobuf" {
		return nil, fmt.Errorf("traces can be sent by http/protobuf only, not by %q", p)
	}
	x := &Export{URL: address, Timeout: 10 * time.Second, Service: "stellwerk"}
	if name := get("OTEL_SERVICE_NAME"); name != "" {
		x.Service = name
	}
	if x.Headers, err = pairs(either("HEADERS")); err != nil {
		return nil, fmt.Errorf("the headers for traces: %w", err)
	}
	for name, value := range x.Headers {
		if !validName(name) {
			return nil, fmt.Errorf("the headers for traces: %q is not the name of a header", name)
		}
		if !validValue(value) {
			return nil, fmt.Errorf("the headers for traces: the value of %s has characters that a header must not have", name)
		}
	}
	if x.Resource, err = pairs(get("OTEL_RESOURCE_ATTRIBUTES")); err != nil {
		return nil, fmt.Errorf("OTEL_RESOURCE_ATTRIBUTES: %w", err)
	}
	if ms := either("TIMEOUT"); ms != "" {
		n, err := strconv.Atoi(ms)
		if err != nil || n <= 0 {
			return nil, fmt.Errorf("the time limit for sending traces is %q; write milliseconds", ms)
		}
		x.Timeout = time.Duration(n) * time.Millisecond
	}
	x.Gzip = either("COMPRESSION") == "gzip"
	return x, nil
}

// endpoint is the address for traces: their own as it is, or the common one with the
// path for traces.
func endpoint(get func(string) string) (string, error) {
	address, path := get(otlpTraces+"ENDPOINT"), ""
	if address == "" {
		address, path = get(otlp+"ENDPOINT"), "/v1/traces"
	}
	if address == "" {
		return "", nil
	}
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return "", fmt.Errorf("the endpoint for traces (OTEL_EXPORTER_OTLP_ENDPOINT) is not an http address")
	}
	u.Path = strings.TrimSuffix(u.Path, "/") + path
	return u.String(), nil
}

// pairs reads key=value,key=value with percent-encoded values.
func pairs(list string) (map[string]string, error) {
	if list == "" {
		return nil, nil
	}
	found := map[string]string{}
	for i, pair := range strings.Split(list, ",") {
		key, value, ok := strings.Cut(pair, "=")
		decoded, err := url.PathUnescape(strings.TrimSpace(value))
		key = strings.TrimSpace(key)
		if !ok || key == "" || err != nil {
			return nil, fmt.Errorf("entry %d is not of the form key=value", i+1) // it may be a secret
		}
		found[key] = decoded
	}
	return found, nil
}

// validName reports a name that a header may have.
func validName(name string) bool {
	return !strings.ContainsFunc(name, func(r rune) bool {
		letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
		return !letter && !strings.ContainsRune("!#$%&'*+-.^_`|~", r)
	})
}

// validValue reports a value that a header may have.
func validValue(value string) bool {
	return !strings.ContainsFunc(value, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f })
}
