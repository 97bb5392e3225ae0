package egress

import (
	"io"
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestNoOneAtTheFirstAddress: a host with addresses of both kinds is reached at the one that answers.
func TestNoOneAtTheFirstAddress(t *testing.T) {
	addr := peer(t, echo) // at 127.0.0.1 only
	p := Policy{Allow: rules(t, "*.example.com:*"), Private: grants(t, "*.example.com=127.0.0.1", "*.example.com=::1")}
	w := start(t, Options{Policy: p, Resolve: always("::1", "127.0.0.1")})
	conn, r, status := w.connect(at("a.example.com", addr))
	if _, err := io.WriteString(conn, "hello"); err != nil {
		t.Fatal(err)
	}
	_ = conn.CloseWrite()
	if said, err := io.ReadAll(r); err != nil || string(said) != "hello" {
		t.Errorf("%q, %v", said, err)
	}
	if c := w.record(); status != "200 Connection established" || c.Address != addr.String() || !c.Allowed || c.Cause != "" {
		t.Errorf("%s, %+v", status, c)
	}
	if os.Getenv(withoutIPv6) != "" {
		if l, err := net.Listen("tcp6", "[::1]:0"); err == nil {
			t.Errorf("there is IPv6, at %v", l.Addr())
		}
	}
}

// withoutIPv6 marks the process that TestWithoutIPv6 starts.
const withoutIPv6 = "EGRESS_WITHOUT_IPV6"

// TestWithoutIPv6 repeats that, and the refusals, in a network whose IPv6 is switched off.
func TestWithoutIPv6(t *testing.T) {
	const line = `echo 1 >/proc/sys/net/ipv6/conf/all/disable_ipv6 && ip link set lo up && exec "$0" "$@"`
	inside := func(argv ...string) *exec.Cmd {
		return exec.CommandContext(t.Context(), "unshare", append([]string{"-rn", "sh", "-c", line}, argv...)...)
	}
	if out, err := inside("true").CombinedOutput(); err != nil {
		t.Skipf("this system lets nobody have a network without IPv6: %v: %s", err, out)
	}
	tests := []string{"TestNoOneAtTheFirstAddress", "TestRefusals", "TestRedirect"}
	cmd := inside(os.Args[0], "-test.v", "-test.run", "^("+strings.Join(tests, "|")+")$")
	cmd.Env = append(os.Environ(), withoutIPv6+"=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	for _, test := range tests {
		if !strings.Contains(string(out), "--- PASS: "+test+" (") {
			t.Errorf("%s did not pass:\n%s", test, out)
		}
	}
}
