package truth

import "context"

// Check reads a store and all objects that it names, and reports what is wrong with them. Engines may work on it meanwhile.
func Check(ctx context.Context, p Pair, o Options) (Report, error) {
	var report Report
	a := newAudit(o, &report)
	if err := a.read(ctx, p.Store, VerifyEvents); err != nil {
		return report, err
	}
	return report, verify(ctx, p, o, &report, a.named)
}
