//go:build !planted

package folder

// syncFolder makes the names in a folder durable.
func syncFolder(d disk, path string) error { return d.syncFolder(path) }
