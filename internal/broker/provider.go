package broker

import (
	"net/http"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/ledger"
)

// Provider is one row of the table of providers: which requests exist, how a credential is presented, and how to understand
// requests and answers. A new provider is a new row and a dialect.
type Provider struct {
	Name     string
	Upstream string // its address, unless the person names a gateway
	// Address is the variable in which agents find its address. Holders are the variables of credentials, in the order in
	// which the provider's own program prefers them.
	Address string
	Holders []Holder
	routes  []route
	present func(http.Header, Credential)
	dialect dialect
}

// Providers is the table.
func Providers() []Provider { return []Provider{anthropic()} }

// Find looks a provider up by its name.
func Find(name string) (Provider, bool) {
	for _, p := range Providers() {
		if p.Name == name {
			return p, true
		}
	}
	return Provider{}, false
}

// Path is where the broker serves the provider: the agent's base URL ends with it.
func (p Provider) Path() string { return "/" + p.Name }

// route is a request that the broker forwards.
type route struct {
	method, path string
	below        bool // one more element may follow the path
	metered      bool // it costs something
}

func (r route) matches(method, path string) bool {
	if method != r.method {
		return false
	}
	rest, ok := strings.CutPrefix(path, r.path)
	return ok && (rest == "" || r.below && plainElement(strings.TrimPrefix(rest, "/")) && rest[0] == '/')
}

// plainElement reports one element of a path that every server reads in the same way: nothing escaped, nothing relative.
func plainElement(s string) bool {
	return s != "" && strings.Trim(s, ".") != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("-._:@", r)
	})
}

// find is the route of a request, by the path exactly as it was sent.
func (p Provider) find(method, path string) (route, bool) {
	for _, r := range p.routes {
		if r.matches(method, path) {
			return r, true
		}
	}
	return route{}, false
}

// dialect is how a provider's API is understood. Its functions are pure.
type dialect interface {
	// request understands the body of a metered request. The error is told to the agent.
	request(body []byte) (request, error)
	// outward fails for a body that makes the provider connect to hosts that it names, and says which part does.
	outward(body []byte) error
	// meter reads an answer to such a request.
	meter(stream bool) meter
	// failure is the body of an error in the provider's format.
	failure(status int, message string) []byte
	// last is the event that ends a stream with an error.
	last(message string) []byte
}

// request is what the broker has to know of a metered request.
type request struct {
	model  string
	stream bool
	prompt ledger.Usage // an upper estimate of what the model reads
	output int64        // the most it may answer, in tokens
	least  int64        // a shorter answer is of no use
	fast   bool         // asks for the dearer, faster mode
	factor float64      // what other options multiply the price by
	clamp  func(output int64) []byte
}

// multiplier is what the request's options multiply a price by.
func (r request) multiplier(p Price) float64 {
	if r.fast {
		return r.factor * p.fast
	}
	return r.factor
}

// meter reads what a provider says about usage while the answer passes. It is fed the body in order, in any pieces.
type meter interface {
	// feed returns how much of p can be passed on: up to the end of its last whole event.
	feed(p []byte) int
	reading() reading
}

// reading is what is known of an answer so far.
type reading struct {
	usage  ledger.Usage // as the provider said
	others []charge     // further charges that it reported
	prompt bool         // it has said what it read
	final  bool         // it has said all
	text   int64        // bytes of the answer that were seen
	silent bool         // it is thinking without showing it
}

// charge is a usage that is not part of an answer's own; an empty model is that of the request.
type charge struct {
	model string
	usage ledger.Usage
}
