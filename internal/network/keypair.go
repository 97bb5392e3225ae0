package network

import (
	"crypto/tls"
	"os"
	"sync"
	"time"
)

// keyPair is a certificate that may be renewed while it is used.
type keyPair struct {
	cert, key string

	mu      sync.Mutex
	current *tls.Certificate
	changed [2]time.Time // of the files that it was read from
}

func newKeyPair(cert, key string, current *tls.Certificate) *keyPair {
	p := &keyPair{cert: cert, key: key, current: current}
	p.changed, _ = p.times() // what cannot be looked at now is read again later
	return p
}

func (p *keyPair) times() (at [2]time.Time, ok bool) {
	for i, file := range []string{p.cert, p.key} {
		info, err := os.Stat(file)
		if err != nil {
			return at, false
		}
		at[i] = info.ModTime()
	}
	return at, true
}

// get is the newest certificate that can be read. One that is just being written
// is left for the next who connects.
func (p *keyPair) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	at, ok := p.times()
	if !ok || at == p.changed {
		return p.current, nil
	}
	if renewed, err := tls.LoadX509KeyPair(p.cert, p.key); err == nil {
		p.current, p.changed = &renewed, at
	}
	return p.current, nil
}
