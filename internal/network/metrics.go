package network

import (
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

const (
	metricsRead        = 5 * time.Second
	metricsTimeout     = 15 * time.Second
	metricsHeader      = 64 << 10
	metricsConnections = 16
)

// BoundMetrics bounds the connections of those who read figures: whoever is turned away comes back for the next.
func BoundMetrics(l net.Listener) net.Listener { return Bound(l, metricsConnections) }

// MetricsServer serves the figures, and closes each connection after its answer:
// there are few, and an idle one would keep somebody else out. Unless the figures
// are public, it refuses a request for any host name but this machine's: a page in
// a browser can have its own name lead here to read them.
func MetricsServer(figures http.Handler, public bool) *http.Server {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /metrics", func(w http.ResponseWriter, r *http.Request) {
		if !public && !namesThisMachine(r.Host) {
			http.Error(w, "metrics are shown to this machine alone: ask for localhost or 127.0.0.1", http.StatusMisdirectedRequest)
			return
		}
		figures.ServeHTTP(w, r)
	})
	server := &http.Server{Handler: mux, ReadTimeout: metricsRead, WriteTimeout: metricsTimeout, MaxHeaderBytes: metricsHeader}
	server.SetKeepAlivesEnabled(false)
	return server
}

func namesThisMachine(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	ip := net.ParseIP(strings.Trim(host, "[]"))
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}

// MetricsAddress is where metrics are shown: on this machine only, unless a person
// says otherwise, because no credential protects them. It is "" for nowhere.
func MetricsAddress(address string, public bool) (string, error) {
	if address == "" {
		return "", nil
	}
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return "", core.Wrap(core.CodeInvalid, err, "metrics cannot be shown at "+address, "name an address such as 127.0.0.1:9464")
	}
	if host == "localhost" || host == "" && !public {
		host = "127.0.0.1"
	}
	if ip := net.ParseIP(host); !public && (ip == nil || !ip.IsLoopback()) {
		return "", core.Errorf(core.CodeInvalid, "metrics at %s could be read from other machines, without a credential", address).
			WithHint("name an address of this machine alone, such as 127.0.0.1:9464, or add --metrics-public")
	}
	return net.JoinHostPort(host, port), nil
}
