package check

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/itchyny/gojq"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/plain"
	"github.com/stellwerk-dev/stellwerk/internal/strictjson"
)

const (
	maxExprBytes = 4 << 10
	exprTimeout  = 2 * time.Second
	maxValues    = 1000
	shownValue   = 300
	shownContext = 1 << 10
)

// errSlow ends an expression at its time limit.
var errSlow = errors.New("it took longer than " + exprTimeout.String())

// parseExpr compiles a jq expression that sees its input only: no environment, no further inputs, no modules.
func parseExpr(expr string) (*gojq.Code, error) {
	if strings.TrimSpace(expr) == "" {
		return nil, core.Errorf(core.CodeInvalid, "the state check has no expression")
	}
	if len(expr) > maxExprBytes {
		return nil, core.Errorf(core.CodeInvalid, "the expression is %d bytes, at most %d are allowed", len(expr), maxExprBytes)
	}
	query, err := gojq.Parse(expr)
	if err != nil {
		return nil, core.Errorf(core.CodeInvalid, "the expression %q is not valid jq: %w", expr, err)
	}
	code, err := gojq.Compile(query)
	if err != nil {
		return nil, core.Errorf(core.CodeInvalid, "the expression %q cannot be used: %w", expr, err)
	}
	return code, nil
}

// state passes if the expression over what agents reported gives at least one value and none that is false or null. It proves
// nothing by itself: agents report what they like.
func (v *evaluation) state(ctx context.Context, c core.Check) (core.CheckResult, error) {
	values, err := Query(ctx, c.Expr, v.subject.Context)
	if ctx.Err() != nil || core.CodeOf(err) == core.CodeInvalid {
		return core.CheckResult{}, err
	}
	reported := "The reported context is:\n" + plain.Head(indent(v.subject.Context), shownContext)
	if err != nil {
		return fail("The expression could not be evaluated: %s\n%s", plain.Line(err.Error(), shownValue), reported), nil
	}
	if Truthy(values) {
		return pass("The value is %s.", showValues(values)), nil
	}
	return fail("Expected a value that is neither false nor null; found %s. %s", showValues(values), reported), nil
}

// Query evaluates a jq expression over a JSON document within fixed limits of time and size; a nil document is an empty
// object. A malformed expression is core.CodeInvalid; any other error lies in the data.
func Query(ctx context.Context, expr string, doc json.RawMessage) ([]any, error) {
	code, err := parseExpr(expr)
	if err != nil {
		return nil, err
	}
	var input any = map[string]any{}
	if len(doc) > 0 {
		if input, err = (strictjson.Limits{Bytes: maxParsed}).Decode(doc); err != nil {
			return nil, fmt.Errorf("the context cannot be read: %w", err)
		}
	}
	limited, cancel := context.WithTimeoutCause(ctx, exprTimeout, errSlow)
	defer cancel()
	type outcome struct {
		values []any
		err    error
	}
	done := make(chan outcome, 1)
	// A single step of an expression, such as a product of huge numbers, does not look at the context. Waiting ends at
	// the limit nevertheless; nobody reads the step's result then.
	go func() {
		values, err := collect(limited, code, input)
		done <- outcome{values, err}
	}()
	select {
	case o := <-done:
		return o.values, o.err
	case <-limited.Done():
		return nil, context.Cause(limited)
	}
}

func collect(ctx context.Context, code *gojq.Code, input any) (values []any, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the expression failed: %v", p)
		}
	}()
	iter := code.RunWithContext(ctx, input)
	for len(values) < maxValues {
		value, ok := iter.Next()
		if !ok {
			return values, nil
		}
		if failure, ok := value.(error); ok {
			if ctx.Err() != nil {
				failure = context.Cause(ctx)
			}
			return nil, failure
		}
		values = append(values, value)
	}
	return nil, fmt.Errorf("it gives more than %d values", maxValues)
}

// Truthy reports that there is a value and that all are true in the sense of jq: neither false nor null.
func Truthy(values []any) bool {
	return len(values) > 0 && !slices.ContainsFunc(values, func(v any) bool { return v == nil || v == false })
}

func showValues(values []any) string {
	if len(values) == 0 {
		return "no value"
	}
	var shown []string
	for i, v := range values {
		if i == nearMisses {
			shown = append(shown, fmt.Sprintf("and %d more", len(values)-i))
			break
		}
		raw, err := gojq.Marshal(v)
		if err != nil {
			raw = fmt.Appendf(nil, "a value that cannot be shown (%v)", err)
		}
		shown = append(shown, plain.Line(string(raw), shownValue))
	}
	return strings.Join(shown, ", ")
}

// indent makes a JSON document readable; anything else stays as it is.
func indent(raw json.RawMessage) string {
	if len(raw) == 0 {
		return "{}"
	}
	var pretty bytes.Buffer
	if json.Indent(&pretty, raw, "", "  ") != nil {
		return string(raw)
	}
	return pretty.String()
}
