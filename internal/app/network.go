package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/renameio/v2"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/client"
	"github.com/stellwerk-dev/stellwerk/internal/cockpit"
	"github.com/stellwerk-dev/stellwerk/internal/network"
)

// serveNetwork serves the API and the cockpit to others until ctx ends.
func (a *App) serveNetwork(ctx context.Context) (wait func() error, err error) {
	// One that an engine left behind that was killed leads nowhere.
	if err := os.Remove(a.state.NetworkURL()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("forget where the last engine listened: %w", err)
	}
	if a.opts.Network == nil {
		return nothing, nil
	}
	l, err := a.openListener(ctx, *a.opts.Network)
	if err != nil {
		return nil, err
	}
	site, err := a.site()
	if err != nil {
		return nil, errors.Join(err, l.Close())
	}
	address := l.URL()
	// Whoever let the system choose the port has to find it.
	if err := renameio.WriteFile(a.state.NetworkURL(), []byte(address+"\n"), 0o600); err != nil {
		return nil, errors.Join(fmt.Errorf("say where the engine listens: %w", err), l.Close())
	}
	a.Service.Reached(address)
	if err := a.roster.Reached(ctx, address); err != nil {
		a.log.Warn("other engines do not know where this one listens", "error", err)
	}
	a.log.Info("the cockpit is served", "url", address)
	a.closeDoors()
	served := background(func() error { return network.Serve(ctx, l, site) })
	doors := background(func() error { return a.keepDoors(ctx) })
	return func() error { return errors.Join(served(), doors(), a.withdraw(a.state.NetworkURL())) }, nil
}

// openListener opens the address. If nobody named the port and the usual one is
// taken, the state folder keeps the other one: open pages find the next engine, and
// browsers what they keep for it.
func (a *App) openListener(ctx context.Context, c network.Config) (*network.Listener, error) {
	if last, err := os.ReadFile(a.state.NetworkPort()); err == nil {
		port, _ := strconv.ParseUint(strings.TrimSpace(string(last)), 10, 16) // what is no number is none
		c.Last = uint16(port)
	}
	l, err := network.Listen(ctx, c)
	if err != nil || l.Missed() == "" {
		return l, err
	}
	a.log.Warn("somebody else listens at the usual address already; the cockpit has another port", "taken", l.Missed(), "url", l.URL())
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err == nil {
		err = renameio.WriteFile(a.state.NetworkPort(), []byte(port+"\n"), 0o600)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("keep the port of the cockpit: %w", err), l.Close())
	}
	return l, nil
}

// checkAddresses refuses addresses at which an engine would not serve, before
// there is one.
func checkAddresses(ctx context.Context, opts Options) error {
	if _, err := network.MetricsAddress(opts.Metrics, opts.MetricsPublic); err != nil {
		return err
	}
	if opts.Network == nil {
		return nil
	}
	return opts.Network.Check(ctx)
}

// site is what others see of the engine. Whatever they ask passes the guard.
func (a *App) site() (network.Site, error) {
	guarded := api.Guard(a.Service)
	home, err := os.UserHomeDir()
	if err != nil {
		home = "" // paths are shown whole
	}
	pages, err := cockpit.New(guarded, cockpit.Options{Version: a.opts.Version, Log: a.log, Home: home, Documents: a.store, Notice: a.Service.Notice})
	if err != nil {
		return network.Site{}, fmt.Errorf("make the cockpit: %w", err)
	}
	return network.Site{
		Access: a.access, Engine: a.id, API: api.Noticing(a.Service.Notice, api.AdmittedHandler(guarded, a.opts.Version)), Cockpit: pages,
		Exchange: a.exchangeHandler(),
		Document: func() *huma.OpenAPI { return api.Describe(a.opts.Version) },
		Metrics:  a.telemetry.Handler(), Ready: a.ready, SignedIn: a.signedIn, Log: a.log, Now: time.Now,
	}, nil
}

// DialRemote connects to an engine elsewhere with a person's token.
func DialRemote(server, token string) (api.Service, func() error, error) {
	c, err := client.NewRemote(server, token)
	if err != nil {
		return nil, nil, err
	}
	return c, c.Close, nil
}

// readyTime bounds how long it may take to find out.
const readyTime = 3 * time.Second

// ready says why the engine cannot work.
func (a *App) ready(ctx context.Context) error {
	if notice := a.Service.Notice(); notice != "" {
		return errors.New(notice)
	}
	ctx, cancel := context.WithTimeout(ctx, readyTime)
	defer cancel()
	return reached(ctx, a.store)
}

// pulse is what of a store says whether it answers. Balancers ask every second, so it takes no longer for many projects.
type pulse interface {
	Now(ctx context.Context) (time.Time, error)
	Position(ctx context.Context) (int64, error)
}

func reached(ctx context.Context, s pulse) error {
	_, err := s.Position(ctx)
	_, gone := s.Now(ctx)
	return errors.Join(err, gone)
}

// networkArguments are the flags that have another process listen so.
func networkArguments(c *network.Config) []string {
	if c == nil {
		return []string{"--listen", "off"}
	}
	var args []string
	if !c.AnyPort {
		args = append(args, "--listen", c.Listen)
	}
	for flag, value := range map[string]string{"--tls-cert": c.Cert, "--tls-key": c.Key} {
		if value != "" {
			args = append(args, flag, value)
		}
	}
	if c.BehindProxy {
		args = append(args, "--behind-proxy")
	}
	for _, host := range c.Hosts {
		args = append(args, "--host", host)
	}
	return args
}
