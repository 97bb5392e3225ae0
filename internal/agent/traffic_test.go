package agent

import "testing"

func TestAConnectionInALine(t *testing.T) {
	for want, c := range map[string]*Connection{
		"": nil,
		"connection to a.example.com:443: 3 bytes sent, 4 received":              {Protocol: "connect", Host: "a.example.com", Port: 443, Allowed: true, Sent: 3, Received: 4},
		"connection to [2001:db8::7]:80: refused: it is not on the network list": {Protocol: "http", Host: "2001:db8::7", Port: 80, Cause: "it is not on the network list"},
		"request to the model at api.example.com":                                {Protocol: ProtocolModel, Host: "api.example.com", Allowed: true},
		"request to the model at api.example.com: refused: the limit is reached": {Protocol: ProtocolModel, Host: "api.example.com", Cause: "the limit is reached"},
	} {
		if got := c.String(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestSumsOfConnections(t *testing.T) {
	var s Sums
	s.Add(true, 1, 2)
	s.Add(false, 0, 0)
	s.Add(true, 10, 20)
	if want := (Sums{Allowed: 2, Refused: 1, Sent: 11, Received: 22}); s != want {
		t.Errorf("got %+v, want %+v", s, want)
	}
}
