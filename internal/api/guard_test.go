package api_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/api/apitest"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// TestTheTableOfRoutes is as it was agreed: a role, an address or a method that changes shows here.
func TestTheTableOfRoutes(t *testing.T) {
	var got strings.Builder
	for _, r := range api.Routes() {
		role := r.Role
		if role == api.RoleOwner {
			role = "owner"
		}
		fmt.Fprintf(&got, "%-8s %s %s %s\n", role, r.ID, r.Method, r.Path)
	}
	want, err := os.ReadFile("testdata/routes.txt")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got.String()); diff != "" {
		t.Error(diff)
	}
}

// routeOf is the route by which a method is called.
func routeOf(method string) (route api.Route) {
	refused(context.Background(), api.NewProxy(func(_ context.Context, r api.Route, _, _ any) error { route = r; return nil }), method)
	return route
}

// plain are requests that have to name something to be plain ones.
func plain() map[reflect.Type]reflect.Value {
	values := map[reflect.Type]reflect.Value{}
	for _, v := range []any{
		api.StartRun{Project: "shop", Goal: "x"}, api.Speak{Project: "shop", Text: "x", Start: &api.StartRun{}},
		api.MessageQuery{Project: "shop"}, api.ConversationQuery{Project: "shop"}, api.OpenConversation{Project: "shop"}, api.NameConversation{Project: "shop"}, func(core.Event) error { return nil },
	} {
		values[reflect.TypeOf(v)] = reflect.ValueOf(v)
	}
	values[reflect.TypeFor[io.Writer]()] = reflect.ValueOf(&bytes.Buffer{})
	return values
}

func person(role api.Role) api.Caller { return api.Caller{Actor: core.Person("ada"), Role: role} }

// refused calls a method by its name, and reports that it was forbidden.
func refused(ctx context.Context, svc api.Service, method string) bool {
	m := reflect.ValueOf(svc).MethodByName(method)
	args := []reflect.Value{reflect.ValueOf(ctx)}
	for i := 1; i < m.Type().NumIn(); i++ {
		arg, ok := plain()[m.Type().In(i)]
		if !ok {
			arg = reflect.Zero(m.Type().In(i))
		}
		args = append(args, arg)
	}
	out := m.Call(args)
	err, _ := out[len(out)-1].Interface().(error)
	return core.CodeOf(err) == core.CodeForbidden
}

func TestEveryMethodIsGuarded(t *testing.T) {
	svc := &apitest.Service{}
	guarded := api.Guard(svc)
	ended, end := context.WithCancel(t.Context()) // nobody follows for long
	end()
	for m := range reflect.TypeFor[api.Service]().Methods() {
		role := routeOf(m.Name).Role
		for _, caller := range []api.Caller{
			person(api.RoleViewer), person(api.RoleApprover), person(api.RoleAdmin), person(api.RoleOwner),
			{Actor: core.Actor{Kind: core.ActorSession, ID: "s"}, Role: api.RoleViewer},
		} {
			want := !caller.Role.Includes(role)
			if got := refused(api.WithCaller(ended, caller), guarded, m.Name); got != want {
				t.Errorf("%s as %s %q: refused %v, want %v", m.Name, caller.Actor.Kind, caller.Role, got, want)
			}
		}
		before := len(svc.Calls())
		for _, caller := range []api.Caller{
			{}, {Role: api.RoleAdmin},
			{Actor: core.Actor{Kind: core.ActorAgent, ID: "a1"}, Run: "r"},
			{Actor: core.Actor{Kind: core.ActorAgent, ID: "a1"}, Role: api.RoleAdmin},
			{Actor: core.Engine(), Role: api.RoleAdmin}, {Actor: core.Policy("yes"), Role: api.RoleAdmin},
			{Actor: core.Person("ada"), Role: "superuser"},
		} {
			if !refused(api.WithCaller(ended, caller), guarded, m.Name) {
				t.Errorf("%s was not refused to %+v", m.Name, caller)
			}
		}
		if n := len(svc.Calls()); n != before {
			t.Errorf("%s reached the engine %d times though it was refused", m.Name, n-before)
		}
	}
}

func TestWhatReachesFurtherTakesAnAdmin(t *testing.T) {
	session := "s"
	for name, call := range map[string]func(context.Context, api.Service) error{
		"start in a folder":        start(api.StartRun{Dir: "/srv/repo"}),
		"start in a folder, named": start(api.StartRun{Dir: "/srv/repo", Project: "shop"}),
		"start at a path":          start(api.StartRun{Project: "../repo"}),
		"start above":              start(api.StartRun{Project: ".."}),
		"start here":               start(api.StartRun{Project: "."}),
		"start nowhere":            start(api.StartRun{}),
		"trust with a start":       start(api.StartRun{Project: "shop", Trust: true}),
		"playbook by path":         start(api.StartRun{Project: "shop", Playbook: "/tmp/mine.yaml"}),
		"limits of a start":        start(api.StartRun{Project: "shop", Limits: &core.Limits{}}),
		"no isolation":             start(api.StartRun{Project: "shop", Isolation: "none"}),
		"other agent":              start(api.StartRun{Project: "shop", Agent: "command"}),
		"other remote":             start(api.StartRun{Project: "shop", Remote: "fork"}),
		"other repository":         start(api.StartRun{Project: "shop", Repository: "o/n"}),
		"session of a start":       start(api.StartRun{Project: "shop", Session: session}),
		"trust with words": func(ctx context.Context, svc api.Service) error {
			_, err := svc.Speak(ctx, api.Speak{Project: "shop", Start: &api.StartRun{Trust: true}})
			return err
		},
		"words to a folder": func(ctx context.Context, svc api.Service) error {
			_, err := svc.Speak(ctx, api.Speak{Dir: "/srv/repo"})
			return err
		},
		"raise a limit": func(ctx context.Context, svc api.Service) error {
			_, err := svc.Resume(ctx, "r", api.Resume{MaxProjectAttempts: 9})
			return err
		},
		"raise a limit of attempts": func(ctx context.Context, svc api.Service) error {
			_, err := svc.Retry(ctx, "r", api.Retry{MaxAttemptCostUSD: 9})
			return err
		},
		"resume in a session": func(ctx context.Context, svc api.Service) error {
			_, err := svc.Resume(ctx, "r", api.Resume{Session: &session})
			return err
		},
		"runs of a folder": func(ctx context.Context, svc api.Service) error {
			_, err := svc.Runs(ctx, api.RunQuery{Dir: "/srv"})
			return err
		},
		"messages of a folder": func(ctx context.Context, svc api.Service) error {
			_, err := svc.Messages(ctx, api.MessageQuery{Project: "/srv/repo"})
			return err
		},
		"out of the archive": func(ctx context.Context, svc api.Service) error {
			_, err := svc.ResumeProject(ctx, "shop", api.ResumeProject{})
			return err
		},
	} {
		svc := &apitest.Service{ProjectAnswer: api.ProjectDetail{Project: api.Project{Archived: true}}}
		svc.Put(api.RunDetail{Run: api.Run{ID: "r"}})
		guarded := api.Guard(svc)
		if err := call(api.WithCaller(t.Context(), person(api.RoleApprover)), guarded); core.CodeOf(err) != core.CodeForbidden {
			t.Errorf("%s, by an approver: %v", name, err)
		}
		if err := call(api.WithCaller(t.Context(), person(api.RoleAdmin)), guarded); core.CodeOf(err) == core.CodeForbidden {
			t.Errorf("%s, by an admin: %v", name, err)
		}
	}
}

func start(req api.StartRun) func(context.Context, api.Service) error {
	return func(ctx context.Context, svc api.Service) error {
		_, err := svc.StartRun(ctx, req)
		return err
	}
}
