package app

import "syscall"

// systemID is the id of the hardware; "" if the system does not say.
func systemID() string {
	id, err := syscall.Sysctl("kern.uuid")
	if err != nil {
		return ""
	}
	return id
}
