//go:build !linux

package servertest

import "syscall"

func endWithParent(*syscall.SysProcAttr, syscall.Signal) {}
