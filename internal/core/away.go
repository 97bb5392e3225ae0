package core

import "errors"

// ErrAway is in the chain of an error of a store or of objects that cannot be reached for now. It says nothing about what was asked:
// whoever meets it asks again, and concludes nothing.
var ErrAway = errors.New("away for now")

// Away marks an error as ErrAway, in the same words.
func Away(err error) error { return away{err} }

type away struct{ error }

func (a away) Unwrap() error { return a.error }

func (away) Is(target error) bool { return target == ErrAway }
