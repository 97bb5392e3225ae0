//go:build !planted

package dispatch

import "github.com/stellwerk-dev/stellwerk/internal/object"

// packs are the objects among which packs are put.
func packs(objects object.Objects) object.Objects { return objects }
