package shim

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/net/http/httpproxy"

	"github.com/stellwerk-dev/stellwerk/internal/agent"
	"github.com/stellwerk-dev/stellwerk/internal/bridge"
	"github.com/stellwerk-dev/stellwerk/internal/egress"
	"github.com/stellwerk-dev/stellwerk/internal/plain"
	"github.com/stellwerk-dev/stellwerk/internal/sandbox"
)

// socketFile is where the gateway of a closed network listens. The sandbox shows it to processes of this attempt only.
const socketFile = "net.sock"

// portFile names the gateway's port on systems that give a sandbox no network of its own.
const portFile = "net.port"

// gateway leads an attempt's processes to their model and to the hosts on their list. It runs in the shim, so it is out of
// the agent's reach, and connections outlive the engine.
type gateway struct {
	network sandbox.Network
	// address is where programs of the attempt find it.
	address string
	record  *record
	model   *modelServer
	stop    context.CancelFunc
	served  chan error
}

// openGateway begins to serve. It returns nil if the attempt has the machine's network and no broker.
func openGateway(ctx context.Context, folder string, spec Spec, opts Options, c *credential, j *journal) (_ *gateway, err error) {
	if !spec.closed() && spec.Model == nil {
		return nil, nil
	}
	g := &gateway{record: &record{journal: j}, network: sandbox.Network{Closed: spec.closed()}, served: make(chan error, 1)}
	options, err := g.options(spec)
	if err != nil {
		return nil, err
	}
	if g.model, err = openModel(folder, spec, c, g.record, opts); err != nil {
		return nil, err
	}
	options.Origin = g.model.origin()
	listener, err := g.listen(ctx, folder, opts.Self, spec.Resources.Limits.Disk)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open the attempt's network proxy: %w", err), g.model.close())
	}
	// A cancelled agent may still have something to say before it ends.
	serving, stop := context.WithCancel(context.WithoutCancel(ctx))
	g.stop = stop
	go func() { g.served <- egress.New(options).Serve(serving, listener) }()
	return g, nil
}

// options say what the gateway lets through. If the network is open, that is nothing: programs do not need the gateway.
func (g *gateway) options(spec Spec) (egress.Options, error) {
	if !g.network.Closed {
		return egress.Options{}, nil
	}
	policy, err := spec.Network.policy()
	if err != nil {
		return egress.Options{}, err
	}
	upstream, noProxy, err := upstreamProxy()
	return egress.Options{Policy: policy, Upstream: upstream, NoProxy: noProxy, Record: g.record.add, Advice: spec.Network.Advice}, err
}

// listen opens the socket that a closed Linux sandbox shows, or else a port of this machine.
func (g *gateway) listen(ctx context.Context, folder, self string, largest int64) (net.Listener, error) {
	if isLinux && g.network.Closed {
		g.network, g.address = linuxNetwork(folder, self, largest), bridge.Address
		return listenIn(ctx, folder)
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp4", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	g.address = listener.Addr().String()
	if err := g.setPort(); err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	return listener, os.WriteFile(filepath.Join(folder, portFile), []byte(g.address), 0o600)
}

func (g *gateway) setPort() error {
	address, err := netip.ParseAddrPort(g.address)
	g.network.Port = int(address.Port())
	return err
}

// linuxNetwork is a closed network whose socket is in folder. The program self starts what runs inside, behind a bridge, and
// bounds the files that it writes.
func linuxNetwork(folder, self string, largest int64) sandbox.Network {
	return sandbox.Network{
		Closed: true, Socket: filepath.Join(folder, socketFile), Starter: bridge.Command(self, bridge.Options{Socket: sandbox.SocketPath, Largest: largest}),
	}
}

// listenIn opens the socket through its folder's descriptor, because the name of a socket has at most 107 bytes.
func listenIn(ctx context.Context, folder string) (net.Listener, error) {
	dir, err := os.Open(folder)
	if err != nil {
		return nil, err
	}
	defer func() { _ = dir.Close() }()
	listener, err := (&net.ListenConfig{}).Listen(ctx, "unix", fmt.Sprintf("/proc/self/fd/%d/%s", dir.Fd(), socketFile))
	if err != nil {
		return nil, err
	}
	if l, ok := listener.(*net.UnixListener); ok {
		l.SetUnlinkOnClose(false) // the descriptor in its name is closed by then
	}
	return listener, nil
}

// upstreamProxy is the machine's own proxy, nil if it has none.
func upstreamProxy() (*url.URL, string, error) {
	proxies := httpproxy.FromEnvironment()
	if proxies.HTTPSProxy == "" {
		return nil, "", nil
	}
	address, err := url.Parse(proxies.HTTPSProxy)
	if err != nil || address.Host == "" {
		return nil, "", fmt.Errorf("HTTPS_PROXY is not the address of a proxy, such as http://proxy.example.com:3128")
	}
	return address, proxies.NoProxy, nil
}

// joinGateway is the gateway of an attempt, which another process serves, for one more process of that attempt.
func joinGateway(folder string, spec Spec, self string) (*gateway, error) {
	if !spec.closed() {
		return nil, nil
	}
	if isLinux {
		return &gateway{address: bridge.Address, network: linuxNetwork(folder, self, spec.Resources.Limits.Disk)}, nil
	}
	address, err := os.ReadFile(filepath.Join(folder, portFile))
	if err != nil {
		return nil, fmt.Errorf("find the attempt's network proxy: %w", err)
	}
	g := &gateway{address: string(address), network: sandbox.Network{Closed: true}}
	return g, g.setPort()
}

// variables tell programs where the gateway is. They leave what the person set for Java and for ssh. self is this program,
// as the sandbox shows it.
func (g *gateway) variables(set variables, self string) variables {
	if g == nil {
		return nil
	}
	v := variables{}
	maps.Copy(v, g.model.variables(g.address))
	if !g.network.Closed {
		return v
	}
	v["NODE_USE_ENV_PROXY"] = "1"
	for _, name := range []string{
		"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy",
		"YARN_HTTP_PROXY", "YARN_HTTPS_PROXY", // Yarn reads no others from version 2 on
	} {
		v[name] = "http://" + g.address
	}
	for _, name := range []string{"NO_PROXY", "no_proxy"} {
		v[name] = "localhost,127.0.0.1,::1"
	}
	if self != "" && set["GIT_SSH_COMMAND"] == "" && set["GIT_SSH"] == "" {
		v["GIT_SSH_COMMAND"] = sshCommand(self)
	}
	v["JAVA_TOOL_OPTIONS"] = strings.TrimSpace(set["JAVA_TOOL_OPTIONS"] + " " + g.javaOptions())
	return v
}

// sshCommand is an ssh that connects through the gateway. ssh knows no proxy, and replaces what follows a percent sign.
func sshCommand(self string) string {
	words := bridge.Connector(plain.ShellQuote(strings.ReplaceAll(self, "%", "%%")))
	return "ssh -o " + plain.ShellQuote("ProxyCommand="+strings.Join(append(words, "%h", "%p"), " "))
}

func (g *gateway) javaOptions() string {
	host, port, _ := net.SplitHostPort(g.address)
	return fmt.Sprintf("-Dhttp.proxyHost=%s -Dhttp.proxyPort=%s -Dhttps.proxyHost=%[1]s -Dhttps.proxyPort=%[2]s", host, port)
}

// box is what the sandbox has to know about the gateway.
func (g *gateway) box() sandbox.Network {
	if g == nil {
		return sandbox.Network{}
	}
	return g.network
}

// close ends every connection and returns the traffic it has seen.
func (g *gateway) close() (*agent.Traffic, error) {
	if g == nil {
		return nil, nil
	}
	g.stop()
	err := errors.Join(<-g.served, g.model.close())
	if !g.network.Closed {
		return nil, err
	}
	return g.record.traffic(), err
}
