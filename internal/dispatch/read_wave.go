package dispatch

import (
	"context"
	"fmt"
	"reflect"
	"slices"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/wave"
)

// maxTouched is how many files a worker's verdict names.
const maxTouched = 1000

// readWave reads what a planner decided or a worker answered, and which files the
// worker changed.
func (d *Dispatcher) readWave(ctx context.Context, run *core.Run, stage *core.Stage, task *core.Task, delivery *core.Delivery, body *core.VerifyConcluded) error {
	if !run.ByWaves() {
		return nil
	}
	if task.Kind == core.KindWave {
		data, err := d.handedIn(ctx, delivery, core.DecisionArtifact)
		if err != nil {
			return err
		}
		decision, _, err := wave.ReadDecision(data) // its check has told of the findings
		if err != nil {
			return fmt.Errorf("read %s: %w", core.DecisionArtifact, err)
		}
		redactAll(reflect.ValueOf(&decision), d.redactor(run))
		body.Decision = &decision
		return nil
	}
	work := run.Waves.Work(stage.ID)
	if work == nil || task.Kind != core.KindWork {
		return nil
	}
	data, err := d.handedIn(ctx, delivery, core.OutputArtifact)
	if err != nil {
		return err
	}
	out, _, err := wave.ReadOutput(data, work.Brief.Criteria)
	if err != nil {
		return fmt.Errorf("read %s: %w", core.OutputArtifact, err)
	}
	redactAll(reflect.ValueOf(&out), d.redactor(run))
	out.Detailed = "" // the document has it
	body.Output = &out
	body.Touched, err = d.touched(ctx, run, stage, delivery)
	return err
}

func (d *Dispatcher) handedIn(ctx context.Context, delivery *core.Delivery, name string) ([]byte, error) {
	artifact := delivery.Artifact(name)
	if artifact == nil {
		return nil, core.Errorf(core.CodeInternal, "%s passed its checks and is not there", name)
	}
	return d.readDocument(ctx, artifact)
}

// touched names the files that a delivery changed, at most maxTouched of them.
func (d *Dispatcher) touched(ctx context.Context, run *core.Run, stage *core.Stage, delivery *core.Delivery) ([]string, error) {
	if delivery.Commit == "" || delivery.Commit == stage.Base {
		return nil, nil
	}
	paths, err := d.changedPaths(ctx, run, stage, delivery)
	redactAll(reflect.ValueOf(paths), d.redactor(run))
	slices.Sort(paths)
	paths = slices.Compact(paths)
	return paths[:min(len(paths), maxTouched)], err
}

// redactAll removes secrets from every text of a value. The document was redacted
// as it is written; reading it took hidden characters out of its texts, and may have
// put a secret together again.
func redactAll(v reflect.Value, clean Redactor) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			redactAll(v.Elem(), clean)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			redactAll(v.Field(i), clean)
		}
	case reflect.Slice:
		for i := range v.Len() {
			redactAll(v.Index(i), clean)
		}
	case reflect.String:
		v.SetString(clean.String(v.String()))
	default: // numbers and truth values hide nothing
	}
}
