//go:build !linux

package pg

import (
	"syscall"
	"time"
)

func giveUpAfter(string, syscall.RawConn, time.Duration) error { return nil }
