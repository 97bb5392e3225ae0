//go:build !linux

package shim

import "syscall"

const isLinux = false

// becomeSubreaper does nothing: only Linux has that. A daemon that leaves both its parent and its session is out of
// reach here.
func becomeSubreaper() error { return nil }

func sessionAttr() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// processName is not needed here: the isolation has no process of its own.
func processName(int) string { return "" }

func ownChildren() []int { return nil }

// endMarked has no way to read another process's environment here.
func endMarked(string) {}

// childless is not known here: orphans are not given to the shim.
func childless() bool { return false }
