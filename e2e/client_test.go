package e2e

import (
	"bytes"
	"context"
	"errors"
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
	status, answer, err := ask(ts.Getenv("STELLWERK_STATE"), token, args[0], args[1], strings.Join(args[2:], ""))
	ts.Check(err)
	_, err = fmt.Fprintf(ts.Stdout(), "%d\n%s\n", status, answer)
	ts.Check(err)
}

// ask sends one request to the engine that works on a state folder.
func ask(state, token, method, path, body string) (status int, answer []byte, err error) {
	req, err := http.NewRequest(method, "http://engine"+path, bytes.NewBufferString(body))
	if err != nil {
		return 0, nil, err
	}
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Content-Type", "application/json")
	transport := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "unix", state+"/engine.sock")
	}}
	defer transport.CloseIdleConnections()
	res, err := (&http.Client{Transport: transport}).Do(req)
	if err != nil {
		return 0, nil, err
	}
	answer, err = io.ReadAll(res.Body)
	return res.StatusCode, answer, errors.Join(err, res.Body.Close())
}
