package remote

// Awaited is of how many attempts somebody waits for news in this process.
func (x *Exchange) Awaited() int {
	x.mu.Lock()
	defer x.mu.Unlock()
	return len(x.changed)
}
