//go:build planted

package folder

import "github.com/stellwerk-dev/stellwerk/internal/planted"

// syncFolder with a planted bug leaves the names in a folder to chance.
func syncFolder(d disk, path string) error {
	if planted.Is("nofsync") {
		return nil
	}
	return d.syncFolder(path)
}
