//go:build !linux

package bridge

import "errors"

// hide fails: only Linux has networks that need a bridge.
func hide() error { return errors.New("a bridge is for Linux") }
