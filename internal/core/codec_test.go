package core_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

var update = flag.Bool("update", false, "write the golden files of event bodies")

// samples has one body of each type.
func samples() []core.Body {
	return []core.Body{
		core.RunStarted{}, core.ConditionRequested{}, core.ConditionEvaluated{}, core.StageOpened{}, core.TaskAdmitted{}, core.TeamReduced{},
		core.AttemptRequested{}, core.ClaimRefused{}, core.ClaimFreed{}, core.AttemptStarted{}, core.AttemptStopRequested{},
		core.UsageObserved{}, core.ProjectSpent{}, core.AllowanceReserved{}, core.AttemptExited{}, core.VerifyRequested{}, core.VerifyConcluded{}, core.BranchMoved{},
		core.ApprovalRequested{}, core.ApprovalGranted{}, core.FeedbackGiven{}, core.RolledBack{},
		core.RefKept{}, core.StagePassed{}, core.StageSkipped{}, core.AttemptsReset{}, core.TargetChosen{}, core.SessionTook{}, core.WordGiven{}, core.PublishPrepared{},
		core.PublishRequested{}, core.PublishConcluded{}, core.RunPaused{}, core.RunResumed{}, core.RunCompleted{},
		core.RunFailed{}, core.RunCancelled{}, core.TimerFired{}, core.CommandRefused{}, core.RunSwept{}, core.PersonNotified{},
		core.PlanRead{}, core.PlanWriteRequested{}, core.PlanUpdated{}, core.MergeConcluded{}, core.StageDiscarded{},
		core.ChangesRequested{}, core.ReviewAwaited{}, core.MergeGranted{}, core.MergeFailed{}, core.PullRequestSeen{},
		core.MessageSent{}, core.QuestionAsked{}, core.QuestionAnswered{}, core.TaskProposed{}, core.TaskRefused{}, core.TaskFailed{},
		core.PlanProposed{}, core.ToolRefused{}, core.DetailFetched{}, core.ValidateConcluded{}, core.PlaybookSwapped{},
		core.WaveOpened{}, core.WaveClosed{}, core.BriefAdmitted{}, core.BriefRefused{}, core.BriefEnded{}, core.CourseRefused{},
		core.ProjectRegistered{}, core.ContentTrusted{}, core.ProjectNamed{}, core.PlaybookChosen{}, core.ProjectPaused{},
		core.ProjectResumed{}, core.ProjectArchived{}, core.ProjectErased{}, core.EpicQueued{}, core.EpicTaken{}, core.EpicPostponed{}, core.EpicRefused{},
		core.EpicRequeued{}, core.EpicDropped{}, core.ConversationOpened{}, core.ConversationNamed{},
	}
}

// TestGoldenBodies holds the stored form of every event, one file per type and
// version. A file that changes means that stored histories would be read
// differently: give the type a new version and an upcaster instead.
func TestGoldenBodies(t *testing.T) {
	for _, sample := range samples() {
		version := core.FormOf(core.TypeOf(sample)).Reads
		name := fmt.Sprintf("%s.v%d.json", core.TypeOf(sample), version)
		t.Run(name, func(t *testing.T) {
			full := reflect.New(reflect.TypeOf(sample)).Elem()
			fill(full, 0)
			raw, err := json.MarshalIndent(full.Interface(), "", "  ")
			if err != nil {
				t.Fatal(err)
			}
			path := filepath.Join("testdata", "event", name)
			if *update {
				if err := os.WriteFile(path, append(raw, '\n'), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			golden, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(bytes.TrimSpace(golden)), string(raw)); diff != "" {
				t.Fatalf("the stored form changed:\n%s", diff)
			}
			var compact bytes.Buffer
			if err := json.Compact(&compact, golden); err != nil {
				t.Fatal(err)
			}
			body, err := core.Decode(core.Event{ID: "x", Type: core.TypeOf(sample), V: version, Body: compact.Bytes()})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(full.Interface(), body); diff != "" {
				t.Fatalf("read back differently:\n%s", diff)
			}
		})
	}
}

// fill sets every field to something, so that a golden file shows them all.
func fill(v reflect.Value, depth int) {
	switch {
	case v.Type() == reflect.TypeFor[time.Time]():
		v.Set(reflect.ValueOf(time.Date(2026, 1, 2, 3, 4, 5, 6000, time.UTC)))
	case v.Type() == reflect.TypeFor[json.RawMessage]():
		v.Set(reflect.ValueOf(json.RawMessage(`{"k":"v"}`)))
	case v.Kind() == reflect.String:
		v.SetString("text")
	case v.Kind() == reflect.Bool:
		v.SetBool(true)
	case v.CanInt():
		v.SetInt(7)
	case v.CanFloat():
		v.SetFloat(1.5)
	case depth > 6:
	case v.Kind() == reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), depth+1)
	case v.Kind() == reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0), depth+1)
	case v.Kind() == reflect.Map:
		value := reflect.New(v.Type().Elem()).Elem()
		fill(value, depth+1)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(reflect.ValueOf("key").Convert(v.Type().Key()), value)
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i), depth+1)
		}
	}
}
