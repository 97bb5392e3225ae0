package sandbox

import (
	"path/filepath"
	"runtime"
	"slices"
)

// linuxSystem is what programs need of a Linux system, without anybody's secrets. Only the named entries of /etc are
// shown: the rest of it has password hashes, keys and tokens, and root can read them all.
func linuxSystem() []string {
	return []string{
		"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/opt",
		"/nix/store", "/nix/var/nix/profiles", "/gnu/store", "/run/current-system", "/home/linuxbrew/.linuxbrew",
		"/etc/alternatives", "/etc/bash.bashrc", "/etc/ca-certificates", "/etc/ca-certificates.conf",
		"/etc/claude-code", // what an employer sets for Claude Code holds inside, too
		"/etc/crypto-policies", "/etc/debian_version", "/etc/fonts", "/etc/gai.conf", "/etc/group", "/etc/host.conf",
		"/etc/hostname", "/etc/hosts", "/etc/inputrc", "/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d",
		"/etc/locale.alias", "/etc/locale.conf", "/etc/localtime", "/etc/lsb-release", "/etc/magic", "/etc/mime.types",
		"/etc/nsswitch.conf", "/etc/os-release", "/etc/passwd", "/etc/perl", "/etc/pki", "/etc/profile",
		"/etc/profile.d", "/etc/protocols", "/etc/python3", "/etc/resolv.conf", "/etc/services", "/etc/shells",
		"/etc/ssl", "/etc/static", "/etc/terminfo", "/etc/timezone", "/etc/xattr.conf",
	}
}

// linuxPrivate lies below linuxSystem and holds private keys.
func linuxPrivate() []string {
	return []string{"/etc/ssl/private", "/etc/pki/tls/private"}
}

// linuxPatterns are parts of /etc whose names carry a version.
func linuxPatterns() []string { return []string{"/etc/java-*", "/etc/python3.*"} }

// darwinSystem is the same for macOS.
func darwinSystem() []string {
	return []string{
		"/System", "/Library", "/usr", "/bin", "/sbin", "/opt", "/Applications", "/nix/store", "/dev",
		"/private/etc/hosts", "/private/etc/passwd", "/private/etc/group", "/private/etc/protocols",
		"/private/etc/resolv.conf", "/private/etc/services", "/private/etc/shells", "/private/etc/ssl",
		"/private/etc/localtime", "/private/var/run/resolv.conf", "/private/var/db/timezone", "/private/var/select",
	}
}

// Shown are the paths of the system that every isolated process sees.
func Shown() []string { return systemPaths(runtime.GOOS) }

// systemPaths returns those paths that exist here. Private folders are taken out by bubblewrap's own arguments.
func systemPaths(goos string) []string {
	list := darwinSystem()
	if goos == "linux" {
		list = linuxSystem()
		for _, pattern := range linuxPatterns() {
			found, err := filepath.Glob(pattern)
			if err != nil {
				panic(err) // the patterns are constants
			}
			list = append(list, found...)
		}
	}
	return slices.DeleteFunc(list, func(path string) bool { return !exists(path) })
}
