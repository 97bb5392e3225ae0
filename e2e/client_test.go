package e2e

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// request asks the engine of a scenario over its socket, as a client of its own
// would, and prints the status and the answer.
func request(ts *testscript.TestScript, args []string) {
	token := strings.TrimSpace(ts.ReadFile(ts.Getenv("STELLWERK_STATE") + "/person.token"))
	if len(args) > 2 && args[0] == "-token" {
		token, args = args[1], args[2:]
	}
	if len(args) < 2 || len(args) > 3 {
		ts.Fatalf("usage: request [-token TOKEN] METHOD PATH [JSON]")
	}
	body := strings.Join(args[2:], "")
	req, err := http.NewRequest(args[0], "http://engine"+args[1], bytes.NewBufferString(body))
	ts.Check(err)
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Content-Type", "application/json")
	socket := ts.Getenv("STELLWERK_STATE") + "/engine.sock"
	transport := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "unix", socket)
	}}
	defer transport.CloseIdleConnections()
	res, err := (&http.Client{Transport: transport}).Do(req)
	ts.Check(err)
	answer, err := io.ReadAll(res.Body)
	ts.Check(err)
	ts.Check(res.Body.Close())
	_, err = fmt.Fprintf(ts.Stdout(), "%d\n%s\n", res.StatusCode, answer)
	ts.Check(err)
}
