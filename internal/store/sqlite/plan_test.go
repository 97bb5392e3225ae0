package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"path/filepath"
	"reflect"
	"testing"

	"modernc.org/sqlite"
)

// TestPlansAreKept calls every query twice. SQLite takes the values of some bare parameters into account when it plans a
// query, and then plans it anew each time one is bound, which takes longer than most queries. A CAST hides the value.
func TestPlansAreKept(t *testing.T) {
	s := openAt(t, filepath.Join(t.TempDir(), "stellwerk.db"), Options{})
	plans := 0 // SQLite asks the authorizer whenever it plans
	must(t, s.writer.conn.Raw(func(conn any) error {
		return conn.(sqlite.AuthorizerRegisterer).RegisterAuthorizer(func(sqlite.AuthorizerActionCode, string, string, string, string) sqlite.AuthorizerReturnCode {
			plans++
			return sqlite.AuthorizerOK
		})
	}))
	queries := reflect.ValueOf(s.writer.q)
	called := 0
	for i := range queries.NumMethod() {
		name, method := queries.Type().Method(i).Name, queries.Method(i)
		args, ok := blank(t.Context(), method.Type())
		if !ok {
			continue
		}
		called++
		for turn := range 2 {
			plans = 0
			call(t, s, name, method, args)
			if turn == 0 && plans == 0 {
				t.Errorf("%s: its first plan was not seen", name)
			}
			if turn == 1 && plans > 0 {
				t.Errorf("%s is planned anew at each call: write CAST(… AS …) around the parameter that the planner looks at", name)
			}
		}
	}
	if called < 80 {
		t.Errorf("%d queries were called", called)
	}
}

// blank are arguments without content for a query; false if the method is none.
func blank(ctx context.Context, method reflect.Type) ([]reflect.Value, bool) {
	if method.NumIn() == 0 || method.In(0) != reflect.TypeFor[context.Context]() {
		return nil, false
	}
	args := []reflect.Value{reflect.ValueOf(ctx)}
	for i := 1; i < method.NumIn(); i++ {
		arg := reflect.New(method.In(i)).Elem()
		for n := 0; arg.Kind() == reflect.Struct && n < arg.NumField(); n++ {
			if f := arg.Field(n); f.Kind() == reflect.Slice { // nil would be NULL
				f.Set(reflect.MakeSlice(f.Type(), 0, 0))
			}
		}
		args = append(args, arg)
	}
	return args, true
}

// call runs a query and undoes what it does.
func call(t *testing.T, s *Store, name string, method reflect.Value, args []reflect.Value) {
	t.Helper()
	must(t, run(t.Context(), s.writer.ctl.begin))
	results := method.Call(args)
	if err, _ := results[len(results)-1].Interface().(error); err != nil && !errors.Is(err, sql.ErrNoRows) {
		t.Errorf("%s: %v", name, err)
	}
	must(t, run(t.Context(), s.writer.ctl.rollback))
}
