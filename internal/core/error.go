package core

import (
	"errors"
	"fmt"
)

// Code classifies an error for callers that decide by it. One place each turns
// codes into exit codes and HTTP statuses.
type Code string

const (
	CodeInvalid     Code = "invalid"     // the input is wrong
	CodeNotFound    Code = "not_found"   // no such thing
	CodeConflict    Code = "conflict"    // somebody else holds it, or it changed meanwhile
	CodeForbidden   Code = "forbidden"   // not this actor's to do
	CodeUnlawful    Code = "unlawful"    // the law refuses it
	CodeUntrusted   Code = "untrusted"   // repository content nobody has trusted yet
	CodeForked      Code = "forked"      // two histories of one stream
	CodeUnavailable Code = "unavailable" // a resource is missing, full or locked
	CodeUnsupported Code = "unsupported" // from a newer version, or not offered here
	CodeInternal    Code = "internal"    // a defect of ours
)

// Error is an error a person meets: what happened, and what they can do.
type Error struct {
	Code    Code
	Message string
	Advice  // the next step, may be empty
	Err     error

	cause error // wrapped by Errorf, its text is part of Message
}

func (e *Error) Error() string {
	msg := e.Message
	if e.Err != nil {
		msg += ": " + e.Err.Error()
	}
	return msg
}

func (e *Error) Unwrap() error {
	if e.Err != nil {
		return e.Err
	}
	return e.cause
}

// Errorf makes an Error; %w works as in fmt.Errorf.
func Errorf(code Code, format string, args ...any) *Error {
	wrapped := fmt.Errorf(format, args...)
	return &Error{Code: code, Message: wrapped.Error(), cause: errors.Unwrap(wrapped)}
}

// Wrap gives err a code, a message and a hint.
func Wrap(code Code, err error, message, hint string) *Error {
	return &Error{Code: code, Message: message, Advice: Advice{Hint: hint}, Err: err}
}

// WithHint returns a copy that says in words what the person can do.
func (e *Error) WithHint(format string, args ...any) *Error {
	c := *e
	c.Hint = fmt.Sprintf(format, args...)
	return &c
}

// Offer returns a copy that says what the person can do, in addition to its hint.
func (e *Error) Offer(choices ...Choice) *Error {
	c := *e
	c.Choices = choices
	return &c
}

// Advise returns a copy with this advice.
func (e *Error) Advise(a Advice) *Error {
	c := *e
	c.Advice = a
	return &c
}

// Because returns a copy in whose chain errors.Is finds err. The text stays.
func (e *Error) Because(err error) *Error {
	c := *e
	c.cause = err
	return &c
}

// CodeOf is the code of the first Error in err's chain, CodeInternal if
// there is none, and "" for nil.
func CodeOf(err error) Code {
	if err == nil {
		return ""
	}
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return CodeInternal
}

// AdviceOf is the advice of the first Error in err's chain that has one.
func AdviceOf(err error) Advice {
	for err != nil {
		var e *Error
		if !errors.As(err, &e) {
			break
		}
		if e.Hint != "" || len(e.Choices) > 0 {
			return e.Advice
		}
		err = e.Err
	}
	return Advice{}
}
