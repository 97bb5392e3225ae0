package shim_test

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stellwerk-dev/stellwerk/internal/agent"
	"github.com/stellwerk-dev/stellwerk/internal/sandbox"
	"github.com/stellwerk-dev/stellwerk/internal/shim"
	"github.com/stellwerk-dev/stellwerk/internal/shim/shimtest"
)

// TestTheWayOut: an attempt reaches the hosts on its list and no others, and each connection is on record.
func TestTheWayOut(t *testing.T) {
	onlySandbox(t)
	listener, err := net.Listen("tcp", "127.0.0.2:0") // not where programs inside look for their own servers
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "hello") }))
	_ = server.Listener.Close()
	server.Listener = listener
	server.Start()
	defer server.Close()
	listed := listener.Addr().String()
	script := strings.ReplaceAll(`curl -sS http://LISTED/; echo
curl -sS -o /dev/null -w '%{http_code}\n' http://198.51.100.7:81/
curl -sS -o /dev/null -w '%{http_code}\n' --noproxy '*' --max-time 30 http://198.51.100.7/ 2>&1
curl -sS -o /dev/null --noproxy '*' http://LISTED/ 2>&1 | grep -o "Couldn't connect"`, "LISTED", listed)
	a := shimtest.New(t, sandbox.Sandbox, script, func(s *shim.Spec) {
		s.Network = shim.Network{Allow: []string{listed}, Private: []string{listed + "=127.0.0.2"}, Advice: "Ask for %s."}
	})
	exit := a.Run(t)
	said := a.Said(t, agent.KindText)
	if len(said) < 4 || said[0] != "hello" || said[1] != "403" || !strings.Contains(strings.Join(said[2:], "\n"), "Couldn't connect") {
		t.Errorf("it said %q", said)
	}
	if exit.Traffic == nil {
		t.Fatal("nothing is known of its connections")
	}
	want := agent.Sums{Allowed: 1, Refused: 1, Sent: exit.Traffic.Sent, Received: exit.Traffic.Received}
	if diff := cmp.Diff(want, exit.Traffic.Sums); diff != "" || want.Received == 0 || exit.Traffic.Unrouted == 0 {
		t.Errorf("(-want +got)\n%s\n%+v", diff, exit.Traffic)
	}
	entries, err := shim.Tail(a.Folder, 0)
	if err != nil {
		t.Fatal(err)
	}
	var recorded []string
	for _, e := range entries {
		if c := e.Record.Connection; c != nil {
			recorded = append(recorded, fmt.Sprintf("%s:%d %v %s", c.Host, c.Port, c.Allowed, c.Cause))
		}
	}
	if len(recorded) != 2 || !strings.HasPrefix(recorded[0], listed+" true") || !strings.HasPrefix(recorded[1], "198.51.100.7:81 false") {
		t.Errorf("on record: %q", recorded)
	}
}

// TestTheListIsKept: the person's words on hosts reach the proxy, each for what it means. All these hosts could be reached.
func TestTheListIsKept(t *testing.T) {
	onlySandbox(t)
	hosts := map[string]string{}
	for _, name := range []string{"LISTED", "DENIED", "UNLISTED", "UNGRANTED"} {
		listener, err := net.Listen("tcp", "127.0.0.2:0")
		if err != nil {
			t.Fatal(err)
		}
		server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "hello") }))
		_ = server.Listener.Close()
		server.Listener = listener
		server.Start()
		defer server.Close()
		hosts[name] = listener.Addr().String()
	}
	script := ""
	for _, name := range []string{"LISTED", "DENIED", "UNLISTED", "UNGRANTED"} {
		script += "curl -s -o /dev/null -w '" + name + " %{http_code}\\n' http://" + hosts[name] + "/\n"
	}
	a := shimtest.New(t, sandbox.Sandbox, script, func(s *shim.Spec) {
		s.Network = shim.Network{
			Allow: []string{hosts["LISTED"], hosts["DENIED"], hosts["UNGRANTED"]}, Deny: []string{hosts["DENIED"]},
			Private: []string{hosts["LISTED"] + "=127.0.0.2", hosts["DENIED"] + "=127.0.0.2", hosts["UNLISTED"] + "=127.0.0.2"},
		}
	})
	a.Run(t)
	if diff := cmp.Diff([]string{"LISTED 200", "DENIED 403", "UNLISTED 403", "UNGRANTED 403"}, a.Said(t, agent.KindText)); diff != "" {
		t.Error(diff)
	}
}
