package yard

import (
	"context"
	"fmt"
)

// Tidy merges the many small packs that imports leave into fewer, larger ones. No object is dropped,
// referenced or not, because workspaces borrow them. It may run beside everything else.
func (y *Yard) Tidy(ctx context.Context) error {
	if _, err := y.git().run(ctx, "repack", "--geometric=2", "-d", "-q"); err != nil {
		return fmt.Errorf("tidy yard %s: %w", y.dir, err)
	}
	return nil
}
