package client_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/go-cmp/cmp"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/wording"
)

// echo is a service that notes how it was called, and answers with something of every kind.
type echo struct {
	api.Service
	route api.Route
	in    any
	fails error
}

func newEcho() *echo {
	e := &echo{}
	e.Service = api.NewProxy(func(_ context.Context, r api.Route, in, out any) error {
		e.route, e.in = r, in
		if e.fails != nil {
			return e.fails
		}
		switch out := out.(type) {
		case io.Writer:
			_, err := io.WriteString(out, strings.Repeat("a long document\n", 10_000))
			return err
		case func(core.Event) error:
			var event core.Event
			fill(reflect.ValueOf(&event).Elem(), r.ID)
			return out(event)
		case func(api.Moved) error:
			return errors.Join(out(api.Moved{At: r.ID}), errEnough)
		}
		fill(reflect.ValueOf(out).Elem(), r.ID)
		if path, ok := in.(*api.RunPath); ok && r.ID == "get-run" {
			out.(*api.RunDetail).ID = path.Run // that is what who follows it goes on with
		}
		return nil
	})
	return e
}

// errEnough ends a watch, which ends by no other way.
var errEnough = core.Errorf(core.CodeConflict, "enough")

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

// leaves are the values that something is made of, as far as it says anything.
func leaves(v reflect.Value) (list []string) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			list = leaves(v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			list = append(list, leaves(v.Field(i))...)
		}
	case reflect.Slice:
		for i := range v.Len() {
			list = append(list, leaves(v.Index(i))...)
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			list = append(append(list, leaves(key)...), leaves(v.MapIndex(key))...)
		}
	case reflect.Func:
	default:
		if !v.IsZero() {
			list = append(list, fmt.Sprint(v))
		}
	}
	slices.Sort(list)
	return list
}

// called is what became of a call of a method.
type called struct {
	In     any
	Answer any
	Heard  []any // by a stream
	Text   string
	Err    []string // code, message and hint
}

// invoke calls a method of a face of svc with something in everything that it takes.
func invoke(ctx context.Context, face api.Service, svc *echo, m reflect.Method) (c called, args []reflect.Value) {
	var document bytes.Buffer
	call := []reflect.Value{reflect.ValueOf(ctx)}
	for i := 1; i < m.Type.NumIn(); i++ {
		arg := reflect.New(m.Type.In(i)).Elem()
		switch m.Type.In(i) {
		case reflect.TypeFor[io.Writer]():
			arg.Set(reflect.ValueOf(&document))
		case reflect.TypeFor[func(core.Event) error]():
			arg.Set(reflect.ValueOf(func(e core.Event) error { c.Heard = append(c.Heard, e); return nil }))
		case reflect.TypeFor[func(api.Moved) error]():
			arg.Set(reflect.ValueOf(func(m api.Moved) error { c.Heard = append(c.Heard, m); return nil }))
		default:
			fill(arg, fmt.Sprintf("%s#%d", m.Name, i))
			if m.Name == "Document" && i == 2 {
				arg.SetString(strings.Repeat("0a", 32)) // a digest
			}
			args = append(args, arg)
		}
		call = append(call, arg)
	}
	svc.route, svc.in = api.Route{}, nil
	out := reflect.ValueOf(face).MethodByName(m.Name).Call(call)
	if err, _ := out[len(out)-1].Interface().(error); err != nil {
		c.Err = []string{string(core.CodeOf(err)), err.Error(), wording.Hint(err)}
	}
	c.In, c.Text = svc.in, document.String()
	if len(out) == 2 {
		c.Answer = out[0].Interface()
	}
	return c, args
}

// TestEveryMethodHasARoute of its own, which takes everything that the method takes, and is in the OpenAPI document.
func TestEveryMethodHasARoute(t *testing.T) {
	methods := map[string]string{}
	svc := newEcho()
	for m := range reflect.TypeFor[api.Service]().Methods() {
		c, args := invoke(t.Context(), svc, svc, m)
		if other, taken := methods[svc.route.ID]; taken || svc.route.ID == "" {
			t.Errorf("%s is called by the route %q, as %s is", m.Name, svc.route.ID, other)
		}
		methods[svc.route.ID] = m.Name
		var want []string
		for _, arg := range args {
			want = append(want, leaves(arg)...)
		}
		slices.Sort(want)
		if diff := cmp.Diff(want, leaves(reflect.ValueOf(c.In))); diff != "" {
			t.Errorf("%s: what the route takes: %s", m.Name, diff)
		}
	}
	paths := api.Describe("1").Paths
	for _, r := range api.Routes() {
		if methods[r.ID] == "" {
			t.Errorf("no method is called by the route %s", r.ID)
		}
		item := paths[r.Path]
		if item == nil {
			t.Errorf("%s is not in the document", r.Path)
			continue
		}
		op := map[string]*huma.Operation{http.MethodGet: item.Get, http.MethodPost: item.Post}[r.Method]
		if op == nil || op.OperationID != r.ID || op.Summary != r.Summary {
			t.Errorf("%s %s: the document has %+v", r.Method, r.Path, op)
		}
	}
}

// TestEverythingCrossesTheWire: whatever a method is called with arrives, whatever it answers comes back, and an error is
// the same error.
func TestEverythingCrossesTheWire(t *testing.T) {
	svc := newEcho()
	passesOn(t.Context(), t, svc, connect(t, svc))
}

// TestTheGuardChangesNothing of what it lets through.
func TestTheGuardChangesNothing(t *testing.T) {
	svc := newEcho()
	passesOn(api.WithCaller(t.Context(), api.Caller{Actor: core.Person("ada"), Role: api.RoleOwner}), t, svc, api.Guard(svc))
}

// passesOn calls every method of svc directly and through a face of it.
func passesOn(ctx context.Context, t *testing.T, svc *echo, face api.Service) {
	t.Helper()
	for m := range reflect.TypeFor[api.Service]().Methods() {
		t.Run(m.Name, func(t *testing.T) {
			svc.fails = nil
			want, _ := invoke(ctx, svc, svc, m)
			route := svc.route.ID
			got, _ := invoke(ctx, face, svc, m)
			if svc.route.ID != route {
				t.Errorf("%s was called", svc.route.ID)
			}
			if diff := cmp.Diff(want, got, cmp.Exporter(func(reflect.Type) bool { return true })); diff != "" {
				t.Error(diff)
			}
			svc.fails = core.Errorf(core.CodeForked, "two stories").WithHint("choose one")
			if got, _ := invoke(ctx, face, svc, m); !slices.Equal(got.Err, []string{string(core.CodeForked), "two stories", "choose one"}) {
				t.Errorf("the error came back as %q", got.Err)
			}
		})
	}
}
