//go:build !linux

package peer

import "net"

func pidOf(net.Conn) (int, bool) { return 0, false }

func parentOf(int) int { return 0 }

func initialVariable(int, string) string { return "" }
