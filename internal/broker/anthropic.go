package broker

import (
	"encoding/json"
	"net/http"
)

func anthropic() Provider {
	return Provider{
		Name:     "anthropic",
		Upstream: "https://api.anthropic.com",
		Address:  "ANTHROPIC_BASE_URL",
		Holders: []Holder{
			{"ANTHROPIC_AUTH_TOKEN", Bearer}, {"ANTHROPIC_API_KEY", APIKey}, {"CLAUDE_CODE_OAUTH_TOKEN", OAuth},
		},
		routes: []route{
			{method: http.MethodPost, path: "/v1/messages", metered: true},
			{method: http.MethodPost, path: "/v1/messages/count_tokens"},
			{method: http.MethodGet, path: "/v1/models", below: true},
			{method: http.MethodHead, path: "/"},
		},
		present: presentAnthropic,
		dialect: messages{},
	}
}

// presentAnthropic adds the credential. A client sends the anthropic-beta header that a subscription's token needs, because
// the attempt's token has the same shape.
func presentAnthropic(h http.Header, c Credential) {
	if c.Kind == APIKey {
		h.Set("X-Api-Key", c.Value)
		return
	}
	h.Set("Authorization", "Bearer "+c.Value)
}

// messages is the dialect of the Messages API.
type messages struct{}

func (messages) meter(stream bool) meter {
	if stream {
		return &messageStream{}
	}
	return &messageBody{}
}

var messagesErrors = map[int]string{
	http.StatusBadRequest:            "invalid_request_error",
	http.StatusUnauthorized:          "authentication_error",
	http.StatusForbidden:             "permission_error",
	http.StatusPaymentRequired:       "billing_error",
	http.StatusRequestEntityTooLarge: "request_too_large",
}

func (messages) failure(status int, message string) []byte {
	kind, ok := messagesErrors[status]
	if !ok {
		kind = "api_error"
	}
	return errorBody(kind, message)
}

// last carries the type of a refusal, which clients do not retry.
func (messages) last(message string) []byte {
	return append(append([]byte("event: error\ndata: "), errorBody("permission_error", message)...), "\n\n"...)
}

func errorBody(kind, message string) []byte {
	body, err := json.Marshal(map[string]any{
		"type": "error", "error": map[string]string{"type": kind, "message": message},
	})
	if err != nil { // strings always encode
		panic(err)
	}
	return body
}
