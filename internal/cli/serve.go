package cli

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/stellwerk-dev/stellwerk/internal/cli/terminal"
)

type serveOptions struct {
	detach  bool
	webhook string
	metrics string
	public  bool
	network networkFlags
	format  string
	level   string
}

func newServe(sh *shell) *cobra.Command {
	o := &serveOptions{}
	cmd := &cobra.Command{
		Annotations: onThisMachine(),
		Use:         "serve [flags]",
		Short:       "Keep an engine running",
		Long: `Runs the engine of the state folder until it is interrupted. Other commands
then are its clients. Agents that are at work when it ends go on, and are
found again by the next engine.

It serves the cockpit and the API at http://127.0.0.1:7341, or where --listen or
STELLWERK_LISTEN says; with "off" nowhere. Where somebody else listens at the
usual address already, another engine for one, the system chooses a port, which
is kept for the next time; an address that you name must be free. Only who has
signed in is let in (` + "`stellwerk cockpit`" + ` prints a link), or who shows a token
(` + "`stellwerk tokens`" + `).
An address that other machines reach takes --tls-cert and --tls-key, or a proxy
in front that speaks TLS, which --behind-proxy vouches for. Requests for other
names than the address, those of the certificate and --host are refused. With
port 0 the system chooses one. The log and network.url in the state folder say
where the engine listens.

With --webhook it also hears, at an address of its own, what a forge sends when
something happened to a pull request. Only signed deliveries are taken, and all
they bring about is a look at that pull request.

With --metrics it shows figures for Prometheus, at /metrics. They hold no names
of runs and no words of anybody, but whoever reads them learns how much you work
and what it costs, and nothing asks them who they are: an address that other
machines reach is refused unless you add --metrics-public. With port 0 the
system chooses one; the log says which, and metrics.addr in the state folder.

The log has one line for each thing that happened, on standard error or, with
--detach, in engine.log in the state folder. Secrets are taken out of it. It is
not rotated: leave that to journald or logrotate (with copytruncate).

Where OTEL_EXPORTER_OTLP_ENDPOINT is set, traces are sent there, with or without
--metrics.`,
		Example: `  stellwerk serve
  stellwerk serve --detach
  stellwerk serve --listen 0.0.0.0:443 --tls-cert cert.pem --tls-key key.pem
  stellwerk serve --behind-proxy --host stellwerk.example.com
  stellwerk serve --webhook 127.0.0.1:8100
  stellwerk serve --metrics 127.0.0.1:9464
  stellwerk serve --log-format json --log-level warn`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context(), sh) },
	}
	cmd.Flags().BoolVarP(&o.detach, "detach", "d", false, "in the background")
	o.network.flags(cmd)
	cmd.Flags().StringVar(&o.webhook, "webhook", "", "hear webhooks of the forge at `ADDRESS:PORT`")
	cmd.Flags().StringVar(&o.metrics, "metrics", "", "show metrics for Prometheus at `ADDRESS:PORT`")
	cmd.Flags().BoolVar(&o.public, "metrics-public", false, "let --metrics be an address that other machines reach")
	cmd.Flags().StringVar(&o.format, "log-format", "text", "how the log is written: `text|json`")
	cmd.Flags().StringVar(&o.level, "log-level", "info", "the least of what is logged: `debug|info|warn|error`")
	return cmd
}

func (o *serveOptions) run(ctx context.Context, sh *shell) error {
	opts, err := sh.options()
	if err != nil {
		return err
	}
	if o.public && o.metrics == "" {
		return usagef("--metrics-public says something about --metrics, and that is missing")
	}
	opts.Webhook, opts.Metrics, opts.MetricsPublic = o.webhook, o.metrics, o.public
	if opts.Network, err = o.network.config(sh); err != nil {
		return err
	}
	opts.LogFormat, opts.LogLevel = o.format, o.level
	if !o.detach {
		opts.Log = sh.Console.Err
		err := sh.Serve(ctx, opts)
		if ctx.Err() != nil && (err == nil || errors.Is(err, context.Canceled) || errors.Is(err, errInterrupted)) {
			return nil
		}
		return err
	}
	if err := sh.Detach(ctx, opts); err != nil {
		return err
	}
	address, err := servedAt(opts.State)
	if err != nil {
		return err
	}
	if sh.json {
		return sh.printJSON(struct {
			State   string `json:"state"`
			Cockpit string `json:"cockpit,omitempty"`
		}{opts.State, address})
	}
	sh.printf("The engine of %s runs in the background.\n", opts.State)
	if address != "" {
		sh.printf("Its cockpit is at %s; `stellwerk cockpit` prints a link that signs you in.\n", terminal.Line(address))
	}
	return nil
}
