//go:build planted_nofsync

package folder

// syncFolder is a planted bug: it leaves the names in a folder to chance. The
// tests must fail under this build tag.
func syncFolder(disk, string) error { return nil }
