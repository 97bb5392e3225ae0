package broker

import (
	"encoding/json"
	"log/slog"
)

// Kind says how a credential is presented to its provider.
type Kind string

// The kinds of credentials.
const (
	APIKey Kind = "api-key" // a key of the provider's console
	Bearer Kind = "bearer"  // a token for a gateway
	OAuth  Kind = "oauth"   // a subscription's token
)

// hidden replaces a credential wherever one might be shown.
const hidden = "[redacted]"

// Credential identifies a customer to a provider. Formatted, logged or encoded it shows its kind only; Value is for the one
// header that needs it.
type Credential struct {
	Kind  Kind
	Value string
}

// String shows the kind.
func (c Credential) String() string { return string(c.Kind) + " " + hidden }

// GoString shows the kind to %#v.
func (c Credential) GoString() string { return c.String() }

// LogValue shows the kind in logs.
func (c Credential) LogValue() slog.Value { return slog.StringValue(c.String()) }

// MarshalJSON shows the kind in JSON.
func (c Credential) MarshalJSON() ([]byte, error) { return json.Marshal(c.String()) }
