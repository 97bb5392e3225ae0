package pgtest

import (
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/Shopify/toxiproxy/v2"
	"github.com/rs/zerolog"
)

// Far makes a database seem far away: at the address that it returns, every answer takes so much longer, in whole milliseconds. The
// caller ends it.
func Far(address string, latency time.Duration) (far string, end func(), err error) {
	to, err := url.Parse(address)
	if err != nil {
		return "", nil, err
	}
	server := toxiproxy.NewServer(toxiproxy.NewMetricsContainer(nil), zerolog.Nop())
	proxy := toxiproxy.NewProxy(server, "far", "127.0.0.1:0", to.Host)
	if err := proxy.Start(); err != nil {
		return "", nil, err
	}
	toxic := fmt.Sprintf(`{"type": "latency", "attributes": {"latency": %d}}`, latency.Milliseconds())
	if _, err := proxy.Toxics.AddToxicJson(strings.NewReader(toxic)); err != nil {
		proxy.Stop()
		return "", nil, err
	}
	to.Host = proxy.Listen
	return to.String(), proxy.Stop, nil
}
