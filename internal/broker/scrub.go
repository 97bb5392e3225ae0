package broker

import (
	"bytes"
	"strings"
)

// scrubber takes a credential out of what a provider answers. Some gateways quote the key they were given.
type scrubber struct{ secrets []string }

func (s scrubber) text(t string) string {
	for _, secret := range s.secrets {
		t = strings.ReplaceAll(t, secret, hidden)
	}
	return t
}

// scrubbing scrubs one body that arrives in pieces.
type scrubbing struct {
	scrubber
	kept []byte // the end of the last piece, which may be the beginning of a secret
}

// next returns what can be passed on after another piece: all but an end that may be the beginning of a secret.
func (s *scrubbing) next(p []byte) []byte {
	if len(s.kept) > 0 {
		p = append(s.kept, p...)
		s.kept = nil
	}
	keep := 0
	for _, secret := range s.secrets {
		if bytes.Contains(p, []byte(secret)) {
			p = bytes.ReplaceAll(p, []byte(secret), []byte(hidden))
		}
		keep = max(keep, begun(p, secret))
	}
	s.kept = bytes.Clone(p[len(p)-keep:])
	return p[:len(p)-keep]
}

// rest is what was kept when the body has ended.
func (s *scrubbing) rest() []byte { return s.kept }

// begun is the length of the longest end of p that secret begins with.
func begun(p []byte, secret string) int {
	for n := min(len(p), len(secret)-1); n > 0; n-- {
		if p[len(p)-n] == secret[0] && string(p[len(p)-n:]) == secret[:n] {
			return n
		}
	}
	return 0
}
