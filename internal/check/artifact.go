package check

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/plain"
	"github.com/stellwerk-dev/stellwerk/internal/role"
)

const (
	maxParsed = 8 << 20  // bytes of an artifact that is parsed
	maxProbed = 64 << 10 // bytes of an artifact that only has to say something
)

// artifact passes if the delivery has an artifact of that name that is not blank and fits the check's schema, if there is
// one. Stellwerk must also be able to act on a review or a plan.
func (v *evaluation) artifact(ctx context.Context, c core.Check) (core.CheckResult, error) {
	a := v.subject.Delivery.Artifact(c.Name)
	if a == nil {
		return fail("%s", notHandedIn(c.Name, v.subject.Delivery)), nil
	}
	parsed := len(c.Schema) > 0 || c.Name == ReviewName
	if parsed && a.Size > maxParsed {
		return fail("%s is %d bytes; at most %d can be validated.", show(a.Name), a.Size, maxParsed), nil
	}
	limit := int64(maxProbed)
	if parsed {
		limit = maxParsed
	}
	data, err := v.read(ctx, *a, limit)
	if err != nil {
		return core.CheckResult{}, err
	}
	if len(bytes.TrimSpace(data)) == 0 {
		return fail("%s was handed in, but it is empty.", show(a.Name)), nil
	}
	var wrong []string
	if len(c.Schema) > 0 {
		if wrong, err = violations(c.Schema, data); err != nil {
			return core.CheckResult{}, err
		}
	}
	if len(wrong) == 0 {
		if err := unreadable(c, data); err != nil {
			for line := range strings.Lines(err.Error()) {
				wrong = append(wrong, plain.Line(line, 300))
			}
		}
	}
	if len(wrong) > 0 {
		return fail("%s was handed in, but it is not valid:\n%s", show(a.Name), bullets(wrong, shownPaths)), nil
	}
	return pass("Handed in, %s.", count(int(a.Size), "byte")), nil
}

// unreadable says why Stellwerk cannot act on a document that it reads itself; nil if it can, or does not read it.
func unreadable(c core.Check, data []byte) error {
	var err error
	switch {
	case c.Name == ReviewName:
		_, err = ReadReview(data)
	case c.Name == core.PlanArtifact && role.IsPlanSchema(c.Schema):
		_, err = ReadPlan(data)
	}
	return err
}

// notHandedIn says that an artifact is missing, what was handed in instead, and what was refused for which reason.
func notHandedIn(name string, d *core.Delivery) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s was not handed in.", show(name))
	items := make([]string, len(d.Artifacts))
	for i, a := range d.Artifacts {
		items[i] = fmt.Sprintf("%s (%s)", show(a.Name), count(int(a.Size), "byte"))
	}
	if len(items) == 0 {
		b.WriteString(" The output folder held no artifact.")
	} else {
		b.WriteString(" Handed in:\n" + bullets(items, nearMisses))
	}
	if len(d.Rejected) > 0 {
		b.WriteString("\nNot accepted:\n" + bullets(d.Rejected, nearMisses))
	}
	return b.String()
}

func (v *evaluation) read(ctx context.Context, a core.Artifact, limit int64) (data []byte, err error) {
	f, err := v.Artifacts.Open(ctx, a.Digest)
	if err != nil {
		return nil, fmt.Errorf("open artifact %s: %w", show(a.Name), err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	data, err = io.ReadAll(io.LimitReader(f, limit))
	if err != nil {
		return nil, fmt.Errorf("read artifact %s: %w", show(a.Name), err)
	}
	return data, nil
}
