package tools

import (
	"net"
	"net/http"
	"net/netip"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/egress"
	"github.com/stellwerk-dev/stellwerk/internal/registry"
	"github.com/stellwerk-dev/stellwerk/internal/shim"
	"github.com/stellwerk-dev/stellwerk/internal/waittest"
)

// preset asks a tool which hosts it uses, and lists them.
func preset(t *testing.T, name string, environ ...string) shim.Network {
	t.Helper()
	answer, err := registry.Ask(t.Context(), name, append(os.Environ(), environ...))
	if err != nil {
		t.Fatal(err)
	}
	if len(answer.Hosts) == 0 {
		t.Fatalf("%s names no host", name)
	}
	return shim.Network{Allow: answer.Hosts}
}

// atRegistry is what a preset lists, and the first of its hosts. Registries at a private address get the person's word. Where
// this machine does not reach the registry at all, the test does not come back.
func atRegistry(t *testing.T, name string) (shim.Network, string) {
	t.Helper()
	network := preset(t, name)
	client := &http.Client{Timeout: waittest.Limit, Transport: &http.Transport{Proxy: http.ProxyFromEnvironment, DisableKeepAlives: true}}
	for i, host := range network.Allow {
		rule, err := egress.ParseRule(host)
		if err != nil {
			t.Fatalf("the preset %s lists what cannot be read", name)
		}
		if i == 0 {
			answer, err := client.Get("https://" + net.JoinHostPort(rule.Host, strconv.Itoa(rule.Port)) + "/")
			if err != nil {
				t.Skipf("this machine does not reach the registry of %s", name)
			}
			_ = answer.Body.Close()
		}
		addresses, err := net.DefaultResolver.LookupNetIP(t.Context(), "ip", rule.Host)
		if err != nil {
			continue // by name, at a proxy of this machine
		}
		for _, address := range addresses {
			network.Private = append(network.Private, word(rule, address)...)
		}
	}
	host, err := egress.ParseRule(network.Allow[0])
	if err != nil {
		t.Fatal(err)
	}
	return network, host.Host
}

// word is the person's that a host may be at an address, if it is needed.
func word(rule egress.Rule, address netip.Addr) []string {
	policy := egress.Policy{Allow: []egress.Rule{rule}}
	if policy.CheckAddress(rule.Host, rule.Port, address) == nil {
		return nil
	}
	prefix := netip.PrefixFrom(address.Unmap(), address.Unmap().BitLen())
	return []string{rule.Host + "=" + prefix.String()}
}

func TestNpm(t *testing.T) {
	t.Parallel()
	need(t, "npm")
	network, host := atRegistry(t, "npm")
	both(t, trial{
		line: "npm ci --no-audit --no-fund --loglevel=http && test -f node_modules/ms/index.js",
		files: map[string]string{
			"package.json": `{"name": "app", "version": "1.0.0", "dependencies": {"ms": "2.1.3"}}`,
			"package-lock.json": `{"name": "app", "version": "1.0.0", "lockfileVersion": 3, "requires": true, "packages": {
				"": {"name": "app", "version": "1.0.0", "dependencies": {"ms": "2.1.3"}},
				"node_modules/ms": {"version": "2.1.3", "license": "MIT",
					"integrity": "sha512-6FlzubTLZG3J2a/NVCAleEhjzq5oxgHyaCU9yYXvcLsvoVaHJq/s5xXI6/XXP6tz7R9xAOtHnSO/tXtF3WRTlA=="}}}`,
		},
		network: network,
	}, host, false, "refused: it is not on the network list")
}

func TestGo(t *testing.T) {
	t.Parallel()
	need(t, "go")
	network, host := atRegistry(t, "go")
	sums, err := os.ReadFile("../../go.sum")
	if err != nil {
		t.Fatal(err)
	}
	const module = "go.uber.org/goleak v1.3.0"
	var sum strings.Builder
	for line := range strings.Lines(string(sums)) {
		if strings.HasPrefix(line, module) {
			sum.WriteString(line)
		}
	}
	both(t, trial{
		line:    "export GOFLAGS=-modcacherw; go mod download go.uber.org/goleak && test -f ~/go/pkg/mod/go.uber.org/goleak@v1.3.0/leaks.go",
		files:   map[string]string{"go.mod": "module app\n\ngo 1.21\n\nrequire " + module + "\n", "go.sum": sum.String()},
		network: network,
	}, host, false, "refused: it is not on the network list")
}
