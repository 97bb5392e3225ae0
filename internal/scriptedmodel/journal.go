package scriptedmodel

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
)

// journal writes down every call, one line of JSON each.
type journal struct {
	mu   sync.Mutex
	to   *json.Encoder
	errs error
}

// Record makes the server write every call from now on to w: who called, which
// turn answered, and what the agent had said.
func (s *Server) Record(w io.Writer) {
	s.journal.mu.Lock()
	defer s.journal.mu.Unlock()
	s.journal.to = json.NewEncoder(w)
	s.journal.to.SetEscapeHTML(false)
}

func (j *journal) add(r Request) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.to == nil {
		return
	}
	if err := j.to.Encode(r); err != nil {
		j.errs = errors.Join(j.errs, fmt.Errorf("recording a call: %w", err))
	}
}

func (j *journal) failure() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.errs
}
