//go:build !linux

package yard

// limitMemory does nothing: another process's limits cannot be set here.
func limitMemory(int, uint64) error { return nil }
