package webhook

import "sync"

// crowd limits how many deliveries are read at once. A signature can be checked only after the whole delivery was read, so if
// there are too many, the oldest delivery of the sender with the most of them is stopped: a forge's own take an instant.
type crowd struct {
	mu   sync.Mutex
	most int
	all  []*sending // oldest first
}

// sending is one delivery under way.
type sending struct {
	from    string
	stop    func() // ends its reading
	stopped bool
}

// enter adds a delivery, and stops another one if there is no room. It calls stop at most once, and not after leave.
func (c *crowd) enter(from string, stop func()) *sending {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.all) >= c.most {
		c.makeRoom()
	}
	s := &sending{from: from, stop: stop}
	c.all = append(c.all, s)
	return s
}

func (c *crowd) makeRoom() {
	count := map[string]int{}
	for _, s := range c.all {
		count[s.from]++
	}
	victim := 0
	for i, s := range c.all {
		if count[s.from] > count[c.all[victim].from] {
			victim = i
		}
	}
	s := c.all[victim]
	s.stopped = true
	s.stop()
	c.all = append(c.all[:victim], c.all[victim+1:]...)
}

// leave ends a delivery, and reports whether it had to make room.
func (c *crowd) leave(s *sending) (stopped bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, other := range c.all {
		if other == s {
			c.all = append(c.all[:i], c.all[i+1:]...)
			break
		}
	}
	return s.stopped
}
