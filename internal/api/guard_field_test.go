package api_test

import (
	"context"
	"reflect"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/api/apitest"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// set gives a field of a request something else than nothing.
func set(t *testing.T, field reflect.Value) {
	t.Helper()
	switch field.Kind() {
	case reflect.String:
		field.SetString("x")
	case reflect.Bool:
		field.SetBool(true)
	case reflect.Int, reflect.Int64:
		field.SetInt(1)
	case reflect.Float64:
		field.SetFloat(0.5)
	case reflect.Pointer:
		field.Set(reflect.New(field.Type().Elem()))
		if field.Elem().Kind() == reflect.String {
			field.Elem().SetString("x")
		}
	case reflect.Struct: // is set by being there
	default:
		t.Fatalf("a field of kind %s", field.Kind())
	}
}

// byRole calls as an approver and as an admin, and says who was refused.
func byRole(t *testing.T, call func(context.Context, api.Service) error) (approver, admin bool) {
	t.Helper()
	svc := &apitest.Service{}
	svc.Put(api.RunDetail{Run: api.Run{ID: "r"}})
	refused := func(role api.Role) bool {
		return core.CodeOf(call(api.WithCaller(t.Context(), person(role)), api.Guard(svc))) == core.CodeForbidden
	}
	return refused(api.RoleApprover), refused(api.RoleAdmin)
}

// TestEachFieldOfAStart: whoever adds a field says here whose it is. By itself it is an admin's.
func TestEachFieldOfAStart(t *testing.T) {
	approvers := map[string]bool{}
	for _, name := range []string{"Project", "Goal", "Title", "Issue", "Playbook", "Base", "Branch", "Yes", "Options", "Preflight", "Ticket", "NoQueue", "Conversation", "ID"} {
		approvers[name] = true
	}
	for i := range reflect.TypeFor[api.StartRun]().NumField() {
		req := api.StartRun{Project: "shop"}
		field := reflect.ValueOf(&req).Elem().Field(i)
		set(t, field)
		name := reflect.TypeFor[api.StartRun]().Field(i).Name
		words := api.Speak{Project: req.Project, Dir: req.Dir, Start: &req}
		for how, call := range map[string]func(context.Context, api.Service) error{
			"a start": start(req),
			"words":   func(ctx context.Context, svc api.Service) error { _, err := svc.Speak(ctx, words); return err },
			"a rehearsal": func(ctx context.Context, svc api.Service) error {
				_, err := svc.Rehearse(ctx, req)
				return err
			},
		} {
			if approver, admin := byRole(t, call); approver == approvers[name] || admin {
				t.Errorf("%s with %s: an approver is refused: %v, an admin: %v", how, name, approver, admin)
			}
		}
	}
	for _, path := range []string{"/mine.yaml", "mine.yaml", `dir\mine`} {
		if approver, admin := byRole(t, start(api.StartRun{Project: "shop", Playbook: path})); !approver || admin {
			t.Errorf("playbook %s: an approver is refused: %v, an admin: %v", path, approver, admin)
		}
	}
}

// TestEachLimitThatResumingRaises is an admin's. To give the run back to the engine is not.
func TestEachLimitThatResumingRaises(t *testing.T) {
	resume := func(req api.Resume) func(context.Context, api.Service) error {
		return func(ctx context.Context, svc api.Service) error { _, err := svc.Resume(ctx, "r", req); return err }
	}
	for i := range reflect.TypeFor[api.Resume]().NumField() {
		var req api.Resume
		set(t, reflect.ValueOf(&req).Elem().Field(i))
		if approver, admin := byRole(t, resume(req)); !approver || admin {
			t.Errorf("%+v: an approver is refused: %v, an admin: %v", req, approver, admin)
		}
	}
	back := ""
	for _, req := range []api.Resume{{}, {Session: &back}} {
		if approver, _ := byRole(t, resume(req)); approver {
			t.Errorf("%+v is refused to an approver", req)
		}
	}
}

// TestAFolderIsAnAdminsToName, in whatever is asked.
func TestAFolderIsAnAdminsToName(t *testing.T) {
	type call = func(context.Context, api.Service) error
	for name, in := range map[string]func(project, dir string) call{
		"messages": func(p, d string) call {
			return func(ctx context.Context, s api.Service) error {
				_, err := s.Messages(ctx, api.MessageQuery{Project: p, Dir: d})
				return err
			}
		},
		"conversations": func(p, d string) call {
			return func(ctx context.Context, s api.Service) error {
				_, err := s.Conversations(ctx, api.ConversationQuery{Project: p, Dir: d})
				return err
			}
		},
		"a new conversation": func(p, d string) call {
			return func(ctx context.Context, s api.Service) error {
				_, err := s.OpenConversation(ctx, api.OpenConversation{Project: p, Dir: d})
				return err
			}
		},
		"a conversation's name": func(p, d string) call {
			return func(ctx context.Context, s api.Service) error {
				_, err := s.NameConversation(ctx, api.NameConversation{Project: p, Dir: d})
				return err
			}
		},
		"words": func(p, d string) call {
			return func(ctx context.Context, s api.Service) error {
				_, err := s.Speak(ctx, api.Speak{Project: p, Dir: d})
				return err
			}
		},
		"a start": func(p, d string) call { return start(api.StartRun{Project: p, Dir: d}) },
	} {
		for _, c := range []struct {
			project, dir string
			admins       bool
		}{
			{"shop", "", false}, {"shop.git", "", false}, {"", "", true}, {"", "/srv", true}, {"shop", "/srv", true},
			{"/srv", "", true}, {"a/b", "", true}, {".", "", true}, {"..", "", true}, {".hidden", "", true},
		} {
			if approver, admin := byRole(t, in(c.project, c.dir)); approver != c.admins || admin {
				t.Errorf("%s of %q in %q: an approver is refused: %v, an admin: %v", name, c.project, c.dir, approver, admin)
			}
		}
	}
	for name, in := range map[string]call{
		"runs": func(ctx context.Context, s api.Service) error {
			_, err := s.Runs(ctx, api.RunQuery{Dir: "/srv"})
			return err
		},
		"projects": func(ctx context.Context, s api.Service) error {
			_, err := s.Projects(ctx, api.ProjectQuery{Dir: "/srv"})
			return err
		},
		"limits": func(ctx context.Context, s api.Service) error {
			_, err := s.Limits(ctx, api.LimitsQuery{Dir: "/srv"})
			return err
		},
	} {
		if approver, admin := byRole(t, in); !approver || admin {
			t.Errorf("%s of a folder: an approver is refused: %v, an admin: %v", name, approver, admin)
		}
	}
}
