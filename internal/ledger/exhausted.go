package ledger

import "errors"

// ErrExhausted says that not even the least that was asked for is left.
var ErrExhausted = errors.New("the limit is used up")
