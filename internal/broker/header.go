package broker

import (
	"net/http"
	"net/textproto"
	"strings"
)

// notForwarded are request headers about the connection, the caller or a credential.
var notForwarded = map[string]bool{
	"Authorization": true, "X-Api-Key": true, "X-Goog-Api-Key": true, "Api-Key": true, "Cookie": true, "Cookie2": true,
	"Connection": true, "Keep-Alive": true, "Te": true, "Trailer": true, "Transfer-Encoding": true, "Upgrade": true,
	"Expect": true, "Content-Length": true, "Host": true, "Accept-Encoding": true,
	"Forwarded": true, "Via": true, "X-Real-Ip": true, "True-Client-Ip": true, "Cf-Connecting-Ip": true,
}

// forwarded are the headers that the provider gets to see.
func forwarded(from http.Header) http.Header {
	named := map[string]bool{}
	for _, value := range from.Values("Connection") {
		for name := range strings.SplitSeq(value, ",") {
			named[textproto.CanonicalMIMEHeaderKey(strings.TrimSpace(name))] = true
		}
	}
	to := http.Header{}
	for name, values := range from {
		if notForwarded[name] || named[name] || strings.HasPrefix(name, "Proxy-") || strings.HasPrefix(name, "X-Forwarded-") {
			continue
		}
		to[name] = values
	}
	to.Set("Accept-Encoding", "identity")
	return to
}

// answered are the headers of an answer that an agent can use, in addition to those that begin with "Anthropic-".
var answered = map[string]bool{
	"Content-Type": true, "Cache-Control": true, "Date": true, "Request-Id": true, "Retry-After": true,
	"Retry-After-Ms": true, "X-Should-Retry": true,
}

// returned copies those headers. None can carry the credential.
func returned(to, from http.Header, s scrubber) {
	for name, values := range from {
		if !answered[name] && !strings.HasPrefix(name, "Anthropic-") {
			continue
		}
		for _, value := range values {
			to.Add(name, s.text(value))
		}
	}
}
