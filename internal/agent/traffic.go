package agent

import (
	"fmt"
	"net"
	"strconv"
)

// ProtocolModel is the protocol of a request to the model, which goes by way of the broker.
const ProtocolModel = "model"

// Connection is one that an attempt's process asked for, as the attempt's supervisor saw it.
type Connection struct {
	Protocol string `json:"protocol,omitempty"` // connect, http, socks5, model
	Host     string `json:"host"`
	Port     int    `json:"port,omitempty"`
	Allowed  bool   `json:"allowed"`
	// Cause says why it was refused or failed.
	Cause        string `json:"cause,omitempty"`
	Sent         int64  `json:"sent,omitempty"`
	Received     int64  `json:"received,omitempty"`
	Milliseconds int64  `json:"ms,omitempty"`
}

// String tells of it in a line.
func (c *Connection) String() string {
	if c == nil {
		return ""
	}
	to := c.Host
	if c.Port != 0 {
		to = net.JoinHostPort(c.Host, strconv.Itoa(c.Port))
	}
	line := "connection to " + to
	if c.Protocol == ProtocolModel {
		line = "request to the model at " + to
	} else if c.Allowed {
		line += fmt.Sprintf(": %d bytes sent, %d received", c.Sent, c.Received)
	}
	if !c.Allowed {
		line += ": refused"
	}
	if c.Cause != "" {
		line += ": " + c.Cause
	}
	return line
}

// Sums counts connections.
type Sums struct {
	Allowed  int   `json:"allowed,omitempty"`
	Refused  int   `json:"refused,omitempty"`
	Sent     int64 `json:"sent,omitempty"`
	Received int64 `json:"received,omitempty"`
}

// Add counts one connection.
func (s *Sums) Add(allowed bool, sent, received int64) {
	if allowed {
		s.Allowed++
	} else {
		s.Refused++
	}
	s.Sent, s.Received = s.Sent+sent, s.Received+received
}

// Traffic is what an attempt's processes sent and received besides what went to the model.
type Traffic struct {
	Sums
	Hosts      []HostTraffic `json:"hosts,omitempty"`
	OtherHosts bool          `json:"other_hosts,omitempty"` // there were more than are listed
	// Unrouted counts packets that were sent past the gateway. They went nowhere.
	Unrouted int64 `json:"unrouted,omitempty"`
}

// HostTraffic is the part of one host.
type HostTraffic struct {
	Host string `json:"host"`
	Port int    `json:"port,omitempty"`
	Sums
	Cause string `json:"cause,omitempty"` // of the newest refusal or failure
}
