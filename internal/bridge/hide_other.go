//go:build !linux

package bridge

import (
	"errors"
	"os"
)

// fatal has no list: there is no bridge.
func fatal() []os.Signal { return nil }

// hide fails: only Linux has networks that need a bridge.
func hide() error { return errors.New("a bridge is for Linux") }
