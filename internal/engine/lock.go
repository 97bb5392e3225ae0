package engine

import "sync"

// lock is a mutex that may be held while the store is asked. Whoever waits for it waits on a channel, first come, first
// served: virtual time passes meanwhile (testing/synctest), which it does not for who waits for a sync.Mutex.
type lock struct {
	mu      sync.Mutex
	held    bool
	waiting []chan struct{}
}

func (l *lock) Lock() {
	l.mu.Lock()
	if !l.held {
		l.held = true
		l.mu.Unlock()
		return
	}
	turn := make(chan struct{})
	l.waiting = append(l.waiting, turn)
	l.mu.Unlock()
	<-turn
}

// TryLock takes the lock if nobody has it.
func (l *lock) TryLock() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.held {
		return false
	}
	l.held = true
	return true
}

// Unlock gives the lock to whoever has waited longest.
func (l *lock) Unlock() {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case !l.held:
		panic("engine: unlock of a lock that nobody holds")
	case len(l.waiting) == 0:
		l.held = false
	default:
		close(l.waiting[0])
		l.waiting = l.waiting[1:]
	}
}
