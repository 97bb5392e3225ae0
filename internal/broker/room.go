package broker

import (
	"errors"
	"io"
	"sync/atomic"
)

// bodiesLimit bounds the bodies of all requests that are under way: each is kept as a whole until it is answered.
const bodiesLimit = 2 * requestLimit

// errCrowded says that other requests take up all the room.
var errCrowded = errors.New("other requests under way are too large")

// room is the memory that requests may take up together.
type room struct{ taken atomic.Int64 }

// share is one request's part of a room. It is given back with leave.
type share struct {
	room *room
	from io.Reader
	size int64
}

// Read implements io.Reader.
func (s *share) Read(p []byte) (int, error) {
	n, err := s.from.Read(p)
	s.size += int64(n)
	if s.room.taken.Add(int64(n)) > bodiesLimit {
		return n, errCrowded
	}
	return n, err
}

func (s *share) leave() { s.room.taken.Add(-s.size) }
