package service

import (
	"context"
	"fmt"
	"io"

	"github.com/stellwerk-dev/stellwerk/internal/yard"
)

// diffStat writes what changed, a line a file.
func diffStat(ctx context.Context, y *yard.Yard, from, to string, w io.Writer) error {
	changes, err := y.Changed(ctx, from, to)
	if err != nil {
		return err
	}
	added, deleted := 0, 0
	for _, c := range changes {
		fmt.Fprintf(w, "%c %s\n", c.Status, c.Path)
		added, deleted = added+c.Added, deleted+c.Deleted
	}
	_, err = fmt.Fprintf(w, "%d files changed, %d lines added, %d deleted\n", len(changes), added, deleted)
	return err
}
