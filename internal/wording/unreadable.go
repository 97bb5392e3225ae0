package wording

import (
	"errors"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// Unreadable says why the history of something cannot be read: it is damaged, or
// needs a newer version.
func Unreadable(err error) string {
	if errors.Is(err, core.ErrUnreadable) {
		return err.Error()
	}
	return "it cannot be read: " + err.Error()
}
