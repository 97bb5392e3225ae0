package ledger

// Ask is a request for money before something is spent.
type Ask struct {
	Model string
	Floor Spent  // what is spent at least as soon as the request is sent
	Least Amount // with less than this the request is not worth sending
	Want  Amount // the most it can cost
}

// Held is what was set aside for one request.
type Held struct {
	ID     int64
	Amount Amount
	Full   bool // it is all that was wanted
}
