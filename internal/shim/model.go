package shim

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/agent"
	"github.com/stellwerk-dev/stellwerk/internal/broker"
	"github.com/stellwerk-dev/stellwerk/internal/ledger"
)

// Model is how an attempt's agent reaches its model: through a broker in the shim, which knows the credential. The agent
// gets a token instead, which is good for this attempt only.
type Model struct {
	Provider string `json:"provider"`           // of package broker
	Upstream string `json:"upstream,omitempty"` // the provider's address, if not its own
	// Kind of the credential. The shim finds it in the variable Secret of its environment, or at Source.
	Kind   broker.Kind `json:"kind"`
	Secret string      `json:"secret,omitempty"`
	Source *Source     `json:"source,omitempty"`
	// Prices is the person's file of prices; none if it is empty or missing.
	Prices string `json:"prices,omitempty"`
	// PricesName is what the person knows that file by, if Prices is a copy of it.
	PricesName string `json:"prices_name,omitempty"`
}

// Source is where a credential is if not in the environment: in a file, in what a command prints, or in an entry of the
// system's keyring.
type Source struct {
	File    string   `json:"file,omitempty"`
	Command []string `json:"command,omitempty"`
	Keyring string   `json:"keyring,omitempty"`
}

// credential is a model's credential in the shim's hands.
type credential struct {
	source broker.Source
	value  string // at the start, to be removed from everything that is kept
}

// errCredential means that the shim cannot get the credential, which only a person can mend.
var errCredential = errors.New("there is no credential")

// errPrices means that the person's price list has mistakes, so that no answer can be charged.
var errPrices = errors.New("the price list has mistakes")

// takeCredential takes the credential out of the environment, or asks for it. Nil if no broker is wanted.
func takeCredential(ctx context.Context, m *Model) (*credential, error) {
	if m == nil {
		return nil, nil
	}
	source, err := m.open()
	if err != nil {
		return nil, err
	}
	now, err := source(ctx)
	if err != nil {
		return nil, fmt.Errorf("%w of %s: %w", errCredential, m.Provider, err)
	}
	return &credential{source: source, value: now.Value}, nil
}

// secret is what must be removed from everything that is kept.
func (c *credential) secret() variables {
	if c == nil {
		return nil
	}
	return variables{"model": c.value}
}

func (m *Model) open() (broker.Source, error) {
	if m.Source == nil {
		taken, err := takeSecrets([]string{m.Secret})
		return broker.Value(broker.Credential{Kind: m.Kind, Value: taken[m.Secret]}), err
	}
	switch s := m.Source; {
	case s.File != "":
		return broker.File(m.Kind, s.File), nil
	case s.Keyring != "":
		return broker.Keyring(m.Kind, s.Keyring), nil
	default:
		return broker.Command(m.Kind, s.Command...), nil
	}
}

// modelServer serves an attempt's model: the broker, the account that it charges, and what the agent has to know.
type modelServer struct {
	handler  http.Handler
	account  *ledger.Ledger
	provider broker.Provider
	variable string
	token    string
	stop     func() // ends returnUnused
}

// returnEvery is how often the account gives unused allowance back to the engine.
const returnEvery = 15 * time.Second

// returnUnused has the account give back what no request needs, until the returned function is called.
func returnUnused(account *ledger.Ledger, every time.Duration, log *slog.Logger) (stop func()) {
	tick, over, done := time.NewTicker(every), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case <-over:
				return
			case <-tick.C:
			}
			if err := account.Return(); err != nil {
				log.Error("return the unused allowance", "error", err)
			}
		}
	}()
	return func() { tick.Stop(); close(over); <-done }
}

// openModel makes the broker of an attempt. Nil if none is wanted.
func openModel(folder string, spec Spec, c *credential, j *record, opts Options) (*modelServer, error) {
	m := spec.Model
	if m == nil {
		return nil, nil
	}
	provider, ok := broker.Find(m.Provider)
	if !ok {
		return nil, fmt.Errorf("this program knows no provider %q", m.Provider)
	}
	holder, ok := provider.Holder(m.Kind)
	if !ok {
		return nil, fmt.Errorf("the provider %s takes no credential of the kind %q", m.Provider, m.Kind)
	}
	prices, err := broker.ReadPrices(m.Prices, m.PricesName)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errPrices, err)
	}
	var upstream *url.URL
	if m.Upstream != "" {
		if upstream, err = url.Parse(m.Upstream); err != nil {
			return nil, fmt.Errorf("%s is not the address of a model: %w", provider.Address, err)
		}
	}
	token, err := broker.NewToken(m.Kind)
	if err != nil {
		return nil, err
	}
	account, err := ledger.Open(folder, ledger.Grant{}) // the engine has written its grant
	if err != nil {
		return nil, err
	}
	handler, err := broker.New(broker.Options{
		Provider: provider, Upstream: upstream, Source: c.source, Token: token, Ledger: account, Prices: prices, Log: opts.Log,
		Record: func(x broker.Exchange) { j.model(x, upstream, provider) }, Closed: spec.closed(),
	})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("prepare the connection to the model: %w", err), account.Close())
	}
	return &modelServer{handler: handler, account: account, provider: provider, variable: holder.Variable, token: token, stop: returnUnused(account, returnEvery, opts.Log)}, nil
}

// variables tell the agent where its model is, and the token.
func (d *modelServer) variables(address string) variables {
	if d == nil {
		return nil
	}
	return variables{d.provider.Address: "http://" + address + d.provider.Path(), d.variable: d.token}
}

// origin is what the gateway serves; nil if there is no model.
func (d *modelServer) origin() http.Handler {
	if d == nil {
		return nil
	}
	return d.handler
}

func (d *modelServer) close() error {
	if d == nil {
		return nil
	}
	d.stop()
	return d.account.Close()
}

// model records a request to the model as a connection.
func (r *record) model(x broker.Exchange, upstream *url.URL, p broker.Provider) {
	host := strings.TrimPrefix(p.Upstream, "https://")
	if upstream != nil {
		host = upstream.Host
	}
	r.journal.add(r.journal.redactor.Redact, agent.Record{Kind: agent.KindConnection, Connection: &agent.Connection{
		Protocol: agent.ProtocolModel, Host: host, Allowed: x.Status < http.StatusBadRequest, Cause: x.Cause,
		Milliseconds: x.End.Sub(x.Start).Milliseconds(),
	}})
	r.journal.flush()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.spent = r.spent || x.Cut || x.Status == broker.StatusSpent
}

// overdrawn tells whether a limit ended or refused a request to the model.
func (g *gateway) overdrawn() bool {
	if g == nil {
		return false
	}
	g.record.mu.Lock()
	defer g.record.mu.Unlock()
	return g.record.spent
}
