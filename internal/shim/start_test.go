package shim

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/agent"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/sandbox"
)

// odd is an agent that cannot be launched, or that reads what is not there.
type odd struct{ launch agent.Launch }

func (odd) Name() string { return "odd" }

func (o odd) Launch(agent.Job) (agent.Launch, error) {
	if o.launch.Argv == nil {
		return agent.Launch{}, errors.New("it has no SECRET")
	}
	return o.launch, nil
}

func (odd) Reader() agent.Reader { return ignoring{} }

type ignoring struct{}

func (ignoring) Line([]byte) []agent.Record { return nil }
func (ignoring) Close(int) agent.Outcome    { return agent.Outcome{} }

// veil takes one word out, and has streams.
type veil struct{ strict }

func (veil) Redact(text string) string { return masking{}.Redact(text) }

// TestAStartThatFailsKeepsNothingOpen: nobody waits for output of a process that does not exist.
func TestAStartThatFailsKeepsNothingOpen(t *testing.T) {
	for name, kind := range map[string]sandbox.Kind{"no program": sandbox.None, "an unknown isolation": "prison"} {
		t.Run(name, func(t *testing.T) {
			told := 0
			box := sandbox.Spec{Argv: []string{"/no/such/program"}, Dir: t.TempDir()}
			if _, err := (process{kind: kind, box: box, limit: time.Hour, started: func() { told++ }}).run(t.Context()); err == nil || told != 1 {
				t.Errorf("told %d times: %v", told, err)
			}
		})
	}
}

// TestAStartThatFailsIsWholeInItsEnd: of whom it was, in which isolation, why, and that nothing else came of it.
func TestAStartThatFailsIsWholeInItsEnd(t *testing.T) {
	sound := agent.Launch{Argv: []string{"/no/such/program"}}
	for name, c := range map[string]struct {
		change   func(t *testing.T, folder string, spec *Spec)
		launch   agent.Launch
		want     string
		hopeless bool
	}{
		"no launch":         {func(*testing.T, string, *Spec) {}, agent.Launch{}, "prepare agent odd: it has no ***", false},
		"no program":        {func(*testing.T, string, *Spec) {}, sound, "start /no/such/program: program not found: /no/such/program", true},
		"no agent":          {func(_ *testing.T, _ string, s *Spec) { s.Agent = "SECRET" }, sound, `this program knows no agent "***"`, false},
		"no secret":         {func(_ *testing.T, _ string, s *Spec) { s.Secrets = []string{"ABSENT"} }, sound, "the secret ABSENT was not handed to the shim", false},
		"no input":          {func(*testing.T, string, *Spec) {}, agent.Launch{Argv: sound.Argv, Stdin: "/none"}, "open the agent's input: open /none: no such file or directory", false},
		"no output folder":  {func(_ *testing.T, f string, s *Spec) { s.Job.Out = filepath.Join(f, specFile, "out") }, sound, "make a folder for the agent: ", false},
		"no home":           {func(_ *testing.T, f string, s *Spec) { s.Job.Home = filepath.Join(f, specFile, "home") }, sound, "make a folder for the agent: ", false},
		"no /tmp":           {func(t *testing.T, f string, _ *Spec) { put(t, f, tmpFolder, "") }, sound, "make the attempt's temporary folder: ", false},
		"no transcript":     {func(t *testing.T, f string, _ *Spec) { mkdir(t, f, journalFile) }, sound, "open the attempt's transcript: ", false},
		"an unknown prison": {func(_ *testing.T, _ string, s *Spec) { s.Isolation = "prison" }, sound, "isolation is not available: ", false},
	} {
		t.Run(name, func(t *testing.T) {
			folder, spec := t.TempDir(), goodSpec(t)
			spec.Agent = "odd"
			c.change(t, folder, &spec)
			if err := WriteSpec(folder, spec); err != nil {
				t.Fatal(err)
			}
			before := time.Now().UTC()
			exit := attempt(t.Context(), folder, Options{
				Agents: map[string]agent.Agent{"odd": odd{c.launch}}, Log: slog.New(slog.DiscardHandler),
				NewRedactor: func([]string) (Redactor, error) { return veil{}, nil },
			}, func() { t.Error("an agent that never began has ended") })
			if exit.StartedAt.Before(before) || exit.EndedAt.Before(exit.StartedAt) || !strings.HasPrefix(exit.Detail, c.want) || strings.HasSuffix(c.want, "program") && exit.Detail != c.want {
				t.Errorf("from %s to %s: %s", exit.StartedAt, exit.EndedAt, exit.Detail)
			}
			exit.StartedAt, exit.EndedAt, exit.Detail = time.Time{}, time.Time{}, ""
			want := Exit{Proto: Proto, Attempt: "a1", Reason: ReasonStartFailed, ExitCode: -1, Isolation: spec.Isolation, Hopeless: c.hopeless}
			if !reflect.DeepEqual(exit, want) {
				t.Errorf("its end is %+v, want %+v", exit, want)
			}
		})
	}
	folder, broken := t.TempDir(), errors.New("no rules")
	opts := Options{NewRedactor: func([]string) (Redactor, error) { return nil, broken }}
	if exit := attempt(t.Context(), folder, opts, func() {}); exit.Reason != ReasonStartFailed || exit.Proto != Proto || exit.ExitCode != -1 || !strings.HasPrefix(exit.Detail, "read the attempt's spec: ") || exit.EndedAt.IsZero() {
		t.Errorf("without a spec: %+v", exit)
	}
	if err := WriteSpec(folder, goodSpec(t)); err != nil {
		t.Fatal(err)
	}
	if exit := attempt(t.Context(), folder, opts, func() {}); exit.Reason != ReasonStartFailed || exit.Detail != "prepare the removal of secrets: no rules" {
		t.Errorf("without a redactor: %+v", exit)
	}
}

func mkdir(t *testing.T, folder, name string) {
	t.Helper()
	if err := os.Mkdir(filepath.Join(folder, name), 0o700); err != nil {
		t.Fatal(err)
	}
}

// filled gives every field of a value something that is not its zero.
func filled(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		v.SetString("/" + v.Type().Name() + "x")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(7)
	case reflect.Float64:
		v.SetFloat(7)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		filled(v.Elem())
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		filled(v.Index(0))
	case reflect.Map:
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		filled(key)
		filled(value)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(key, value)
	case reflect.Struct:
		for i := range v.NumField() {
			filled(v.Field(i))
		}
	default:
	}
}

// TestASpecArrivesWhole: what the engine writes into any of its fields is what the shim reads.
func TestASpecArrivesWhole(t *testing.T) {
	var want Spec
	filled(reflect.ValueOf(&want).Elem())
	want.Proto, want.Writes = Proto, core.WritesPlan
	want.Copied = false // the reader's
	folder := filepath.Join(t.TempDir(), "new", "a1")
	given := want
	given.Proto = 99
	if err := WriteSpec(folder, given); err != nil {
		t.Fatal(err)
	}
	if got, err := ReadSpec(folder); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v: read is\n%+v, want\n%+v", err, got, want)
	}
	if err := FinishSpec(folder); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("finished without a draft: %v", err)
	}
	if err := WriteSpec(filepath.Join(folder, specFile, "below"), want); err == nil {
		t.Error("a spec was written below a file")
	}
	put(t, folder, specFile, `{"proto": 1, "proto": 1}`)
	if _, err := ReadSpec(folder); err == nil || !strings.Contains(err.Error(), filepath.Join(folder, specFile)) {
		t.Errorf("a field that is there twice: %v", err)
	}
}

// TestAClaimThatIsGivenUp while another shim has the lock and has not spoken yet.
func TestAClaimThatIsGivenUp(t *testing.T) {
	folder := prepared(t)
	held, err := acquire(folder)
	if err != nil {
		t.Fatal(err)
	}
	defer release(held)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := claim(ctx, folder); !errors.Is(err, ErrAlreadyStarted) {
		t.Errorf("got %v", err)
	}
	if err := Salvage(t.Context(), folder, Options{}); !errors.Is(err, ErrNotLost) {
		t.Errorf("salvaged: %v", err)
	}
}

// TestAnAgentsEndIsToldBeforeItsWorkIsHandedIn, so that its slot is free meanwhile.
func TestAnAgentsEndIsToldBeforeItsWorkIsHandedIn(t *testing.T) {
	folder, spec := t.TempDir(), goodSpec(t)
	spec.Agent = "odd"
	if err := WriteSpec(folder, spec); err != nil {
		t.Fatal(err)
	}
	var order []string
	opts := Options{
		Agents: map[string]agent.Agent{"odd": odd{agent.Launch{Argv: []string{"/bin/sh", "-c", "true"}}}}, Log: slog.New(slog.DiscardHandler),
		NewRedactor: func([]string) (Redactor, error) { return veil{}, nil },
		HandIn:      []string{"/bin/false"}, HandInHere: func(context.Context, string) error {
			order = append(order, "hand-in")
			return errors.New("there is nothing")
		},
	}
	exit := attempt(t.Context(), folder, opts, func() { order = append(order, "idle") })
	if got := strings.Join(order, ", "); got != "idle, hand-in" || exit.Reason != ReasonExited {
		t.Errorf("done was %q, and the end is %+v", got, exit)
	}
}
