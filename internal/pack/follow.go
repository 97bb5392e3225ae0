package pack

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/stellwerk-dev/stellwerk/internal/yard"
)

// Follow brings a yard up to date with what other engines have committed of some runs: it gets the packs that it lacks, and
// its refs follow the events. Nobody may work for these runs with the yard meanwhile.
func (r Restorer) Follow(ctx context.Context, y *yard.Yard, runs []string) error {
	code := newCode()
	for _, run := range runs {
		if err := r.read(ctx, run, code); err != nil {
			return fmt.Errorf("bring the code of run %s: %w", run, err)
		}
	}
	there, err := y.Refs(ctx, "refs/")
	if err != nil {
		return err
	}
	have := map[string]string{}
	for _, ref := range there {
		have[ref.Name] = ref.Commit
	}
	if behind, err := r.behind(ctx, y, code, have); err != nil || !behind {
		return err
	}
	if _, err := r.fill(ctx, y, code); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(have)) {
		var err error
		switch old, wanted := have[name], code.refs[name]; {
		case code.gone[name]:
			err = y.DeleteRef(ctx, name, old)
		case wanted != "" && wanted != old:
			err = y.Move(ctx, name, old, wanted)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// behind reports that a yard with these refs is not where the events are.
func (r Restorer) behind(ctx context.Context, y *yard.Yard, code *code, have map[string]string) (bool, error) {
	for name, commit := range code.refs {
		if have[name] != commit {
			return true, nil
		}
	}
	for name := range code.gone {
		if have[name] != "" {
			return true, nil
		}
	}
	for _, commit := range code.began {
		if known, err := y.Exists(ctx, commit); err != nil || !known {
			return !known, err
		}
	}
	return false, nil
}
