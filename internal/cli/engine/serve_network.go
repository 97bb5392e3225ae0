package engine

import (
	"cmp"
	"net"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/network"
)

// listenVariable is the address for engines whose command names none.
const listenVariable = "STELLWERK_LISTEN"

// listenOff stands for no address: only commands of this machine reach the engine.
const listenOff = "off"

// networkFlags are the address and TLS of an engine that serves.
type networkFlags struct{ network.Config }

func (f *networkFlags) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.Listen, "listen", "", "serve cockpit and API at `ADDRESS[:PORT]`, or off (default $STELLWERK_LISTEN, or 127.0.0.1:7341)")
	cmd.Flags().StringVar(&f.Cert, "tls-cert", "", "`FILE` with the certificate for TLS, in PEM form")
	cmd.Flags().StringVar(&f.Key, "tls-key", "", "`FILE` with its key")
	cmd.Flags().BoolVar(&f.BehindProxy, "behind-proxy", false, "a proxy in front speaks TLS, and clients reach the engine only through it")
	cmd.Flags().StringSliceVar(&f.Hosts, "host", nil, "further host `NAME` of the engine")
}

// config is nil if the engine must not listen.
func (f *networkFlags) config(sh *shell.Shell) (*network.Config, error) {
	c := f.Config
	asked := c.Cert != "" || c.Key != "" || c.BehindProxy || len(c.Hosts) > 0
	if c.Listen == listenOff && asked {
		return nil, shell.Usagef("--listen off: leave out the other network flags")
	}
	if variable := sh.Env(listenVariable); variable != listenOff || !asked { // a flag says more than a variable
		c.Listen = cmp.Or(c.Listen, variable)
	}
	if c.Listen == listenOff {
		return nil, nil
	}
	if err := address(c.Listen); err != nil {
		return nil, err
	}
	c.AnyPort = c.Listen == "" && !asked
	for _, file := range []*string{&c.Cert, &c.Key} {
		if *file != "" {
			*file = sh.Absolute(*file)
		}
	}
	return &c, nil
}

// address refuses what cannot be ADDRESS[:PORT], before anybody resolves it as a
// host name.
func address(listen string) error {
	host, port, err := net.SplitHostPort(listen)
	if err != nil {
		host, port = listen, "0"
	}
	if _, err := strconv.ParseUint(port, 10, 16); err != nil {
		return shell.Usagef("--listen %s: a port must be between 0 and 65535", listen)
	}
	if _, err := strconv.Atoi(host); err == nil {
		return shell.UsageError{Err: core.Errorf(core.CodeInvalid, "--listen %s: put an address before the port", listen).WithHint("--listen 127.0.0.1:7341")}
	}
	return nil
}
