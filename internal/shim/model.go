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

// Model is how an attempt's agent reaches its model: by a broker in the shim, which knows the credential. The agent gets a
// token in its place that is good for this attempt.
type Model struct {
	Provider string `json:"provider"`           // of package broker
	Upstream string `json:"upstream,omitempty"` // where it is reached, if not at its own address
	// Kind of the credential. It is in the variable Secret of the shim's environment, or where a Source says.
	Kind   broker.Kind `json:"kind"`
	Secret string      `json:"secret,omitempty"`
	Source *Source     `json:"source,omitempty"`
	// Prices is the person's file of prices; none where it is empty or missing.
	Prices string `json:"prices,omitempty"`
}

// Source is where a credential is that is not in the environment: one of a file, what a command prints, and an entry of the
// system's keyring.
type Source struct {
	File    string   `json:"file,omitempty"`
	Command []string `json:"command,omitempty"`
	Keyring string   `json:"keyring,omitempty"`
}

// credential is a model's credential in the shim's hands.
type credential struct {
	source broker.Source
	value  string // as it is now, to be removed from everything that is kept
}

// errCredential means that the shim cannot get the credential: a person has to see to that.
var errCredential = errors.New("there is no credential")

// errPrices means that nobody could tell what an answer costs: a person has to correct their price list.
var errPrices = errors.New("the price list has mistakes")

// takeCredential takes the credential out of the environment, or asks for it. Nil where no broker is wanted.
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

// secret is what is to be removed from everything that is kept.
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

// modelDesk serves an attempt's model: the broker, the account it charges, and what the agent is told.
type modelDesk struct {
	handler  http.Handler
	account  *ledger.Ledger
	provider broker.Provider
	variable string
	token    string
	stop     func() // ends giving back
}

// returnEvery is how often the account gives back what no request has needed in the meantime.
const returnEvery = 15 * time.Second

// giveBack has the account give back what it does not need, until the returned function is called.
func giveBack(account *ledger.Ledger, every time.Duration, log *slog.Logger) (stop func()) {
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

// openModel makes the broker of an attempt. Nil where none is wanted.
func openModel(folder string, spec Spec, c *credential, j *record, opts Options) (*modelDesk, error) {
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
	prices, err := broker.ReadPrices(m.Prices)
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
	account, err := ledger.Open(folder, ledger.Grant{}) // the engine has written what it grants
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
	return &modelDesk{handler: handler, account: account, provider: provider, variable: holder.Variable, token: token, stop: giveBack(account, returnEvery, opts.Log)}, nil
}

// variables are what the agent knows of its model.
func (d *modelDesk) variables(address string) variables {
	if d == nil {
		return nil
	}
	return variables{d.provider.Address: "http://" + address + d.provider.Path(), d.variable: d.token}
}

// origin is what the gateway serves; nil where there is no model.
func (d *modelDesk) origin() http.Handler {
	if d == nil {
		return nil
	}
	return d.handler
}

func (d *modelDesk) close() error {
	if d == nil {
		return nil
	}
	d.stop()
	return d.account.Close()
}

// model keeps a request to the model as the connection that it is.
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
