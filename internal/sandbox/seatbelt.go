package sandbox

import (
	"fmt"
	"path/filepath"
	"strings"
)

// seatbeltProgram is part of macOS.
const seatbeltProgram = "/usr/bin/sandbox-exec"

func seatbelt(p plan, spec Spec) Launch {
	return Launch{Argv: append([]string{seatbeltProgram, "-p", seatbeltProfile(p, spec, resolve), "--"}, spec.command()...)}
}

// resolve follows links because Seatbelt compares real paths (/tmp is /private/tmp there).
func resolve(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}

// seatbeltProfile writes the policy in Seatbelt's language. The last matching rule wins there, as the deepest path
// wins here, so the plan's order is kept. macOS has no private /tmp: TMPDIR has to name spec.Tmp.
func seatbeltProfile(p plan, spec Spec, resolve func(string) string) string {
	var b strings.Builder
	b.WriteString(`(version 1)
(deny default)
(allow process-exec process-fork)
(allow signal (target same-sandbox))
(allow process-info* (target same-sandbox))
(allow sysctl-read)
(allow mach-lookup)
(allow ipc-posix-shm)
(allow ipc-posix-sem)
(allow pseudo-tty)
(allow system-socket)
(allow file-read-metadata)
(allow file-ioctl (literal "/dev/null") (literal "/dev/zero") (literal "/dev/tty"))
(allow file-write* (literal "/dev/null") (literal "/dev/zero") (literal "/dev/tty") (regex #"^/dev/fd/"))
(allow file-read* (literal "/"))
`)
	b.WriteString(seatbeltNetwork(spec.Network))
	rule := func(format, path string) { fmt.Fprintf(&b, format+"\n", quote(resolve(path))) }
	for _, m := range p.mounts {
		switch m.access {
		case readOnly:
			rule("(allow file-read* (subpath %s))", m.path)
			rule("(deny file-write* (require-all (subpath %s) (require-not (subpath \"/dev\"))))", m.path)
		case writable:
			rule("(allow file-read* file-write* (subpath %s))", m.path)
		case hidden:
			rule("(deny file-read* file-write* (subpath %s))", m.path)
		}
	}
	if spec.Tmp != "" {
		rule("(allow file-read* file-write* (subpath %s))", spec.Tmp)
	}
	return b.String()
}

func quote(path string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(path) + `"`
}

// seatbeltNetwork writes the rules for connections. The machine has one loopback interface, so a closed network leaves one of
// its ports open, and a test inside cannot reach its own server.
func seatbeltNetwork(n Network) string {
	if !n.Closed {
		return "(allow network*)\n"
	}
	rules := "(allow network-bind (local ip \"localhost:*\"))\n(allow network-inbound (local ip \"localhost:*\"))\n"
	if n.Port != 0 {
		rules += fmt.Sprintf("(allow network-outbound (remote ip \"localhost:%d\"))\n", n.Port)
	}
	return rules
}
