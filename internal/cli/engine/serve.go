// Package engine has the commands that run, reach, back up and prune an engine,
// and those that the engine itself starts.
package engine

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
	"github.com/stellwerk-dev/stellwerk/internal/cli/terminal"
	"github.com/stellwerk-dev/stellwerk/internal/statefolder"
)

type serveOptions struct {
	detach  bool
	webhook string
	metrics string
	public  bool
	network networkFlags
	url     string
	format  string
	level   string
}

func NewServe(sh *shell.Shell) *cobra.Command {
	o := &serveOptions{}
	cmd := &cobra.Command{
		Annotations: shell.Mark(shell.Local),
		Use:         "serve [flags]",
		Short:       "Keep an engine running",
		Long: `Runs the state folder's engine until you interrupt it. Other commands then use
it. Agents at work go on when it ends, and the next engine finds them.

It serves the cockpit and the API at http://127.0.0.1:7341, or at the address in
--listen or STELLWERK_LISTEN; "off" disables both. If another program uses the
default port, the system chooses one, which the engine keeps for next time; an
address that you name must be free. Clients must sign in (` + "`stellwerk cockpit`" + `
prints a link) or send a token (` + "`stellwerk tokens`" + `).

An address that other machines can reach needs --tls-cert and --tls-key, or
--behind-proxy if a proxy in front speaks TLS. The engine refuses requests for
host names other than the address, the certificate's names and --host. With port
0 the system chooses one. The log and network.url in the state folder say where
the engine listens.

With --webhook it also receives a forge's webhooks, at their own address. It
accepts only signed deliveries, and all they do is make it look at that pull
request.

With --metrics it serves Prometheus metrics at /metrics. They contain no names
of runs and no text, but they show how much you work and what it costs, and
nobody has to sign in: the engine refuses an address that other machines can
reach unless you add --metrics-public. With port 0 the system chooses one; the
log and metrics.addr in the state folder say which.

With --store, several engines share a PostgreSQL database, each with a state
folder of its own, which remembers the address. Passwords belong in ~/.pgpass,
PGPASSWORD or STELLWERK_STORE. Files are kept in the database, or with --objects
in a bucket. Name with --url where attempts reach an engine, usually a balancer
in front of all of them: an attempt then goes on whichever engine ends. Without
it, attempts speak only to the engine of their own machine.

The log has one line per event, without secrets, on standard error or, with
--detach, in engine.log in the state folder. The engine does not rotate it: use
journald or logrotate (with copytruncate).

If OTEL_EXPORTER_OTLP_ENDPOINT is set, the engine sends traces there, with or
without --metrics.`,
		Example: `  stellwerk serve
  stellwerk serve --detach
  stellwerk serve --listen 0.0.0.0:443 --tls-cert cert.pem --tls-key key.pem
  stellwerk serve --behind-proxy --host stellwerk.example.com
  stellwerk serve --store postgres://db/team --url https://sw.example.com
  stellwerk serve --webhook 127.0.0.1:8100
  stellwerk serve --metrics 127.0.0.1:9464
  stellwerk serve --log-format json --log-level warn`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context(), sh) },
	}
	cmd.Flags().BoolVarP(&o.detach, "detach", "d", false, "run in the background")
	o.network.flags(cmd)
	cmd.Flags().StringVar(&o.url, "url", "", "with --store: `URL` at which attempts reach an engine")
	cmd.Flags().StringVar(&o.webhook, "webhook", "", "receive the forge's webhooks at `ADDRESS:PORT`")
	cmd.Flags().StringVar(&o.metrics, "metrics", "", "serve Prometheus metrics at `ADDRESS:PORT`")
	cmd.Flags().BoolVar(&o.public, "metrics-public", false, "allow a --metrics address that other machines can reach")
	cmd.Flags().StringVar(&o.format, "log-format", "text", "log format: `text|json`")
	cmd.Flags().StringVar(&o.level, "log-level", "info", "log level: `debug|info|warn|error`")
	return cmd
}

func (o *serveOptions) run(ctx context.Context, sh *shell.Shell) error {
	opts, err := sh.Options()
	if err != nil {
		return err
	}
	if o.public && o.metrics == "" {
		return shell.Usagef("--metrics-public needs --metrics")
	}
	opts.Webhook, opts.Metrics, opts.MetricsPublic = o.webhook, o.metrics, o.public
	if opts.Network, err = o.network.config(sh); err != nil {
		return err
	}
	if opts.URL, err = o.reach(); err != nil {
		return err
	}
	opts.LogFormat, opts.LogLevel = o.format, o.level
	if !o.detach {
		opts.Log = sh.Console.Err
		err := sh.Serve(ctx, opts)
		if ctx.Err() != nil && (err == nil || errors.Is(err, context.Canceled) || errors.Is(err, shell.ErrInterrupted)) {
			return nil
		}
		return err
	}
	if err := sh.Detach(ctx, opts); err != nil {
		return err
	}
	address, err := ServedAt(opts.State)
	if err != nil {
		return err
	}
	lines := []string{fmt.Sprintf("The engine of %s runs in the background.", opts.State)}
	if address != "" {
		lines = append(lines, fmt.Sprintf("Its cockpit is at %s; `stellwerk cockpit` prints a link that signs you in.", terminal.Line(address)))
	}
	return sh.Print(struct {
		State   string `json:"state"`
		Cockpit string `json:"cockpit,omitempty"`
	}{opts.State, address}, lines...)
}

// reach is the URL that attempts are told.
func (o *serveOptions) reach() (string, error) {
	if o.url == "" {
		return "", nil
	}
	u, err := url.Parse(o.url)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.User != nil {
		return "", shell.Usagef("--url %s: write it as https://HOST[:PORT]", o.url)
	}
	return strings.TrimSuffix(o.url, "/"), nil
}

// ServedAt is the URL at which the engine of a state folder listens; "" if it does
// not.
func ServedAt(state string) (string, error) {
	data, err := os.ReadFile(statefolder.Folder{Dir: state}.NetworkURL())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("find where the engine listens: %w", err)
	}
	return strings.TrimSpace(string(data)), nil
}
