package broker

import (
	"context"
	"fmt"
	"sync"
)

// vault holds the credential of one attempt and asks its source as rarely as possible.
type vault struct {
	source Source

	mu   sync.Mutex
	now  Credential
	used []string // every value so far; answers are searched for all of them
}

// get is the credential.
func (v *vault) get(ctx context.Context) (Credential, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.now.Value != "" {
		return v.now, nil
	}
	return v.take(v.source(ctx))
}

// renew returns another credential than the one that the provider refused; false if the source has none.
func (v *vault) renew(ctx context.Context, refused Credential) (Credential, bool, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.now != refused { // another request was faster
		return v.now, true, nil
	}
	c, err := v.take(v.source(ctx))
	return c, err == nil && c != refused, err
}

func (v *vault) take(c Credential, err error) (Credential, error) {
	if err != nil {
		return Credential{}, fmt.Errorf("get the provider's credential: %w", err)
	}
	if v.now != c {
		v.now, v.used = c, append(v.used, c.Value)
	}
	return c, nil
}

// shortestSecret is how long a credential must be to be hidden. Local gateways take made-up keys that are shorter, which could
// be any word of an answer.
const shortestSecret = 8

// scrubber hides every credential that was used so far.
func (v *vault) scrubber() scrubber {
	v.mu.Lock()
	defer v.mu.Unlock()
	s := scrubber{}
	for _, value := range v.used {
		if len(value) >= shortestSecret {
			s.secrets = append(s.secrets, value)
		}
	}
	return s
}
