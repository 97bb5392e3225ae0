package api

import (
	"context"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// Books are where money and tokens went.
type Books interface {
	// Spending is what the runs of all projects used, by project and by the day on
	// which they began, the oldest day first.
	Spending(ctx context.Context, q SpendingQuery) ([]DaySpending, error)
	// RunSpending is what the attempts of a run used, in the order in which they
	// began, those of earlier rounds among them.
	RunSpending(ctx context.Context, id string) ([]AttemptSpending, error)
}

// MostDays is how far back spending can be asked for, and DefaultDays how far it
// is if nobody says.
const (
	MostDays    = 366
	DefaultDays = 30
)

// SpendingQuery says of what time.
type SpendingQuery struct {
	Days int `query:"days" minimum:"0" maximum:"366" doc:"Back from today; 30 where it is not said"` // today is one of them
}

// DaySpending is what the runs of a project that began on a day have used since.
type DaySpending struct {
	Day      time.Time `json:"day" doc:"Its beginning, UTC"`
	Project  string    `json:"project" doc:"Its key"`
	Name     string    `json:"name" doc:"Of the project"`
	Runs     int       `json:"runs"`
	Attempts int       `json:"attempts"`
	core.Cost
	Tokens int64 `json:"tokens"`
}

// AttemptSpending is what an attempt used.
type AttemptSpending struct {
	Attempt   string      `json:"attempt"`
	Task      string      `json:"task"`
	Stage     string      `json:"stage"`
	Role      string      `json:"role,omitempty"`
	Agent     string      `json:"agent,omitempty"` // once it has started
	StartedAt time.Time   `json:"started_at"`      // or was asked for
	At        time.Time   `json:"at"`              // when it ended, or was last heard of
	Over      bool        `json:"over"`
	Usage     core.Usage  `json:"usage"`             // what counts: metered if a broker did, as claimed otherwise
	Claimed   *core.Usage `json:"claimed,omitempty"` // by the agent, where a broker metered it
}

// SpendingList is spending by project and day on the wire.
type SpendingList struct {
	Days []DaySpending `json:"days"`
}

// AttemptSpendingList is spending by attempt on the wire.
type AttemptSpendingList struct {
	Attempts []AttemptSpending `json:"attempts"`
}

// Cost is what the attempt cost, as far as its broker metered or its agent said.
func (a AttemptSpending) Cost() core.Cost {
	if a.Claimed != nil {
		return core.CostOf(a.Usage.CostUSD, 0)
	}
	return a.Usage.Cost(a.Over)
}
