package core

// Traffic is what an attempt's processes connected to, besides the model, as its supervisor saw it.
type Traffic struct {
	Allowed  int   `json:"allowed,omitempty"` // connections
	Refused  int   `json:"refused,omitempty"`
	Sent     int64 `json:"sent,omitempty"` // bytes
	Received int64 `json:"received,omitempty"`
	Unrouted int64 `json:"unrouted,omitempty"` // packets that were sent past the proxy, to nowhere
	// Turned are hosts that were refused, with the port, the first few of them.
	Turned []string `json:"turned,omitempty"`
}
