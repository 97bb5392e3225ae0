package client_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/wording"
)

// echo is a service that notes how it was called, and answers with something of every kind.
type echo struct {
	method string
	args   []any
	fails  error
}

var _ api.Service = (*echo)(nil)

func (e *echo) hear(_ context.Context, method string, out any, args ...any) error {
	e.method, e.args = method, nil
	for _, arg := range args {
		switch arg := arg.(type) {
		case io.Writer:
			if e.fails == nil {
				if _, err := io.WriteString(arg, "a document"); err != nil {
					return err
				}
			}
		case func(core.Event) error, func(api.Moved) error:
		default:
			e.args = append(e.args, arg)
		}
	}
	if out != nil && e.fails == nil {
		fill(reflect.ValueOf(out).Elem(), method)
	}
	return e.fails
}

// fill puts something into everything that crosses the wire, each something else.
func fill(v reflect.Value, path string) {
	switch v.Interface().(type) {
	case time.Time:
		v.Set(reflect.ValueOf(time.Date(2026, 5, 1, 12, 0, len(path)%60, 0, time.UTC)))
		return
	case json.RawMessage:
		v.SetBytes([]byte(`{"n":1}`))
		return
	case core.Event:
		ev, _, err := core.Seal("run/r1", core.Head{}, time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC), core.Person("ada"), "", core.TimerFired{Timer: path})
		if err != nil {
			panic(err)
		}
		v.Set(reflect.ValueOf(ev))
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString("s" + fmt.Sprintf("%x", sum(path)))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(int64(1 + sum(path)%50))
	case reflect.Float64:
		v.SetFloat(float64(1+sum(path)%50) / 4)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0), path+"[]")
	case reflect.Map:
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		fill(key, path+"{}")
		fill(value, path+"{}v")
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(key, value)
	case reflect.Pointer:
		if len(path) < 120 { // types that hold themselves come to an end
			v.Set(reflect.New(v.Type().Elem()))
			fill(v.Elem(), path+"*")
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() && f.Tag.Get("json") != "-" {
				fill(v.Field(i), path+"."+f.Name)
			}
		}
	default:
	}
}

func sum(text string) (n uint32) {
	for _, c := range []byte(text) {
		n = n*31 + uint32(c)
	}
	return n
}

// TestEverythingCrossesTheWire: whatever a method is called with arrives, whatever it answers comes back, and an error is
// the same error.
func TestEverythingCrossesTheWire(t *testing.T) {
	svc := &echo{}
	passesOn(t.Context(), t, svc, connect(t, svc))
}

// TestTheGuardChangesNothing of what it lets through.
func TestTheGuardChangesNothing(t *testing.T) {
	svc := &echo{}
	passesOn(api.WithCaller(t.Context(), api.Caller{Actor: core.Person("ada"), Role: api.RoleOwner}), t, svc, api.Guard(svc))
}

// passesOn calls every method of a face of svc.
func passesOn(ctx context.Context, t *testing.T, svc *echo, face api.Service) {
	t.Helper()
	for m := range reflect.TypeFor[api.Service]().Methods() {
		if m.Name == "Follow" || m.Name == "Watch" {
			continue // streams have tests of their own
		}
		t.Run(m.Name, func(t *testing.T) {
			call := reflect.ValueOf(face).MethodByName(m.Name)
			args := []reflect.Value{reflect.ValueOf(ctx)}
			var want []any
			var document bytes.Buffer
			for i := 1; i < m.Type.NumIn(); i++ {
				arg := reflect.New(m.Type.In(i)).Elem()
				switch m.Type.In(i) {
				case reflect.TypeFor[io.Writer]():
					arg.Set(reflect.ValueOf(&document))
				default:
					fill(arg, fmt.Sprintf("%s#%d", m.Name, i))
					if m.Name == "Document" && i == 2 {
						arg.SetString(strings.Repeat("0a", 32)) // a digest
					}
					want = append(want, arg.Interface())
				}
				args = append(args, arg)
			}
			svc.fails = nil
			out := call.Call(args)
			if err, _ := out[len(out)-1].Interface().(error); err != nil {
				t.Fatalf("%v (%s)", err, wording.Hint(err))
			}
			if svc.method != m.Name {
				t.Errorf("%s was called", svc.method)
			}
			if diff := cmp.Diff(want, svc.args); diff != "" {
				t.Errorf("what arrived: %s", diff)
			}
			if len(out) == 2 {
				answer := reflect.New(m.Type.Out(0))
				fill(answer.Elem(), m.Name)
				if diff := cmp.Diff(answer.Elem().Interface(), out[0].Interface()); diff != "" {
					t.Errorf("what came back: %s", diff)
				}
			}
			if i := m.Type.NumIn() - 1; m.Type.In(i) == reflect.TypeFor[io.Writer]() && document.String() != "a document" {
				t.Errorf("what came back: %q", document.String())
			}
			svc.fails = core.Errorf(core.CodeForked, "two stories").WithHint("choose one")
			out = call.Call(args)
			if err, _ := out[len(out)-1].Interface().(error); core.CodeOf(err) != core.CodeForked || wording.Hint(err) != "choose one" {
				t.Errorf("the error came back as %v", err)
			}
		})
	}
}
