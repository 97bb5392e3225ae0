package broker

import (
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/ledger"
	"github.com/stellwerk-dev/stellwerk/internal/plain"
)

// Exchange is the record of one request. It never holds a credential or anything of what was said.
type Exchange struct {
	Start    time.Time     `json:"start"`
	End      time.Time     `json:"end"`
	Method   string        `json:"method"`
	Path     string        `json:"path"`
	Model    string        `json:"model,omitempty"`
	Status   int           `json:"status"`
	Usage    ledger.Usage  `json:"usage"`
	USD      float64       `json:"usd"`
	Reserved ledger.Amount `json:"reserved"`
	Cut      bool          `json:"cut,omitempty"`   // the limit ended the answer
	Cause    string        `json:"cause,omitempty"` // why it did not go as asked
}

// longestName bounds what the agent can write into a record.
const longestName = 200

func shorten(s string) string { return plain.ClipBytes(s, longestName) }
