package examine

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cli/engine"
	"github.com/stellwerk-dev/stellwerk/internal/cli/terminal"
	"github.com/stellwerk-dev/stellwerk/internal/doctor"
)

// examineListener asks the engine at its address whether it is alive and ready.
func examineListener(ctx context.Context, state string) api.Examined {
	const what = "network"
	address, err := engine.ServedAt(state)
	if err != nil {
		return doctor.Warn(what, err.Error(), "")
	}
	if address == "" {
		return doctor.OK(what, "this state folder's engine does not listen on the network")
	}
	for _, path := range []string{"/healthz", "/readyz"} {
		if err := answersAt(ctx, address, path); err != nil {
			return doctor.Warn(what, terminal.Line(fmt.Sprintf("%s%s: %v", address, path, err)), "read the engine's log; if no engine runs, `stellwerk serve` starts one")
		}
	}
	return doctor.OK(what, terminal.Line(address)+" answers")
}

func answersAt(ctx context.Context, address, path string) error {
	ctx, cancel := context.WithTimeout(ctx, doctor.Timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimSuffix(address, "/")+path, nil)
	if err != nil {
		return err
	}
	client := &http.Client{
		Transport:     &http.Transport{DisableKeepAlives: true, DialContext: dialAsBrowsers},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	resp, err := client.Do(req)
	var at *url.Error
	if errors.As(err, &at) {
		err = at.Err
	}
	if err != nil {
		return err
	}
	if err := resp.Body.Close(); err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("it answers %s", resp.Status)
	}
	return nil
}

// dialAsBrowsers takes names below localhost for this machine, as browsers do.
func dialAsBrowsers(ctx context.Context, network, address string) (net.Conn, error) {
	if host, port, err := net.SplitHostPort(address); err == nil && strings.HasSuffix(host, ".localhost") {
		address = net.JoinHostPort("127.0.0.1", port)
	}
	return (&net.Dialer{}).DialContext(ctx, network, address)
}
