package cockpit_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/api/apitest"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// talking is a project whose manager has asked something.
func talking() *apitest.Service {
	svc := &apitest.Service{}
	run := api.Run{ID: "r1", Alias: "r1", Project: "p1", Title: evil, Kind: "manager", Status: "active"}
	svc.ProjectAnswer = api.ProjectDetail{Project: api.Project{ID: "p1", Name: "shop"}, Run: &run}
	svc.Put(api.RunDetail{Run: run, Onward: true, Manager: &api.Manager{Busy: true}})
	at := time.Now()
	say := func(n int, s core.Said) api.Message {
		return api.Message{Said: s, Run: "r1", Event: fmt.Sprintf("e%d", n), At: at}
	}
	svc.Talk = apitest.Talk{
		Project: "p1",
		Messages: []api.Message{
			say(1, core.Said{Kind: core.SaidGoal, Voice: core.VoiceUser, By: "ada", Text: "# Greet\n\n" + evil + "[x](javascript:alert(1))"}),
			say(2, core.Said{Kind: core.SaidMessage, Voice: core.VoiceGreen, By: "a1", Text: "The work has begun. " + evil}),
			say(3, core.Said{Kind: core.SaidMessage, Voice: core.VoiceRed, By: evil, Text: "Done."}),
			say(4, core.Said{Kind: core.SaidQuestion, Voice: core.VoiceGreen, Text: "Which database?", Question: "q-1"}),
			say(5, core.Said{Kind: core.SaidAnswer, Voice: core.VoiceUser, By: "bob", Text: "SQLite", Question: "q-1"}),
			say(6, core.Said{Kind: core.SaidQuestion, Voice: core.VoiceGreen, Text: "Which port?", Question: "q-2", Default: evil}),
			say(7, core.Said{Kind: core.SaidAnswer, Text: "none", Question: "q-0"}),
		},
		Questions: []api.Question{{ID: "q-2", Text: "Which port?", Default: evil, Due: at.Add(2 * time.Hour)}},
	}
	return svc
}

func TestTheConversationIsShown(t *testing.T) {
	h := serve(t, talking(), api.RoleApprover)
	for _, address := range []string{"/projects/shop/talk", "/runs/r1/talk"} {
		code, body := get(t, h, address)
		if code != http.StatusOK {
			t.Fatalf("%s: %d: %s", address, code, body)
		}
		for _, want := range []string{"You <small>gave the goal", "Manager <small>", "Worker ", "bob <small>answered", "Nobody answered in time", "<blockquote>Which database?</blockquote>", "he manager is at work", "in 1 h 59 min"} {
			if !strings.Contains(body, want) {
				t.Errorf("%s: there is no %q", address, want)
			}
		}
		if n := strings.Count(body, "/answer"); n != 1 || !strings.Contains(body, "/questions/q-2/answer") {
			t.Errorf("%s: %d forms for answers", address, n)
		}
		for _, bad := range []string{"<script>alert", "<img", `="javascript:`, "\u202e", "\x1b", "<h1>Greet"} {
			if strings.Contains(body, bad) {
				t.Errorf("%s holds %q", address, bad)
			}
		}
	}
	if _, body := get(t, serve(t, talking(), api.RoleViewer), "/projects/shop/talk"); strings.Contains(body, "/answer") || strings.Contains(body, "/say") {
		t.Error("who may only look is offered to speak")
	}
}

func TestSpeaking(t *testing.T) {
	svc := talking()
	h := serve(t, svc, api.RoleApprover)
	if w := post(h, "/projects/shop/talk/say", url.Values{"text": {"  "}}); w.Code != http.StatusUnprocessableEntity {
		t.Errorf("without words: %d", w.Code)
	}
	w := post(h, "/projects/shop/talk/say", url.Values{"text": {" hello "}, "back": {"/runs/r1/talk"}})
	calls := svc.Calls()
	req, ok := calls[len(calls)-1].Req.(api.Speak)
	if w.Code != http.StatusSeeOther || w.Header().Get("Location") != "/runs/r1/talk" || !ok || req.Text != "hello" || req.Project != "shop" || req.Start != nil {
		t.Errorf("%d: the engine was told %+v", w.Code, req)
	}
	svc.ProjectAnswer.Run = nil
	if _, body := get(t, h, "/projects/shop/talk"); !strings.Contains(body, `name="start"`) {
		t.Error("nothing is under way, and no run can be begun")
	}
	post(h, "/projects/shop/talk/say", url.Values{"text": {"begin"}, "start": {"1"}})
	calls = svc.Calls()
	if req, ok := calls[len(calls)-1].Req.(api.Speak); !ok || req.Start == nil {
		t.Errorf("the engine was told %+v", req)
	}
}

// TestConversationsAreApart: one of several is read and spoken in alone.
func TestConversationsAreApart(t *testing.T) {
	svc := talking()
	svc.Talk.Talks = []api.ConversationView{{ID: "p", Name: "main", First: true}, {ID: "p-c1", Name: evil}}
	svc.Talk.Messages[0].Conversation = "p-c1"
	h := serve(t, svc, api.RoleApprover)
	_, body := get(t, h, "/projects/shop/talk")
	if !strings.Contains(body, "<strong>everything</strong>") || !strings.Contains(body, "talk?in=p-c1") || strings.Contains(body, `name="in"`) {
		t.Error("everything is not shown, or there is no way to one of them")
	}
	_, body = get(t, h, "/projects/shop/talk?in=p-c1")
	if !strings.Contains(body, `name="in" value="p-c1"`) || !strings.Contains(body, ">everything</a>") {
		t.Error("what is said does not go to the conversation that is shown")
	}
	w := post(h, "/projects/shop/talk/say", url.Values{"text": {"hello"}, "in": {"p-c1"}})
	calls := svc.Calls()
	if req, ok := calls[len(calls)-1].Req.(api.Speak); !ok || req.Conversation != "p-c1" || w.Header().Get("Location") != "/projects/shop/talk?in=p-c1" {
		t.Errorf("%s: the engine was told %+v", w.Header().Get("Location"), req)
	}
	w = post(h, "/projects/shop/talk/open", url.Values{"name": {"the search"}})
	calls = svc.Calls()
	if req, ok := calls[len(calls)-1].Req.(api.OpenConversation); !ok || req.Name != "the search" || !strings.Contains(w.Header().Get("Location"), "talk?in=") {
		t.Errorf("%s: the engine was told %+v", w.Header().Get("Location"), req)
	}
}

func TestALongConversationIsBounded(t *testing.T) {
	svc := talking()
	svc.Talk.Messages = nil
	for i := range 1000 {
		svc.Talk.Messages = append(svc.Talk.Messages, api.Message{Said: core.Said{Kind: core.SaidMessage, Voice: core.VoiceGreen, Text: fmt.Sprintf("message %d.", i)}, Event: fmt.Sprint(i)})
	}
	h := serve(t, svc, api.RoleApprover)
	_, body := get(t, h, "/projects/shop/talk")
	if !strings.Contains(body, "message 999.") || !strings.Contains(body, "message 960.") || strings.Contains(body, "message 959.") || !strings.Contains(body, "talk?n=80") {
		t.Error("not the newest of it is shown, or not all of that, or no way to more")
	}
	if _, body = get(t, h, "/projects/shop/talk?n=999999"); strings.Contains(body, "message 359.") || !strings.Contains(body, "message 360.") || !strings.Contains(body, "stellwerk messages") {
		t.Error("not as much as a page shows")
	}
}

func TestThePlanIsShown(t *testing.T) {
	svc := talking()
	svc.Known.Outline = api.Outline{Pieces: []api.Piece{
		{ID: "1", Title: "Say hello", Status: "done"}, {ID: "2", Title: evil, Role: evil, Status: "open", After: []string{"1", evil}, Branch: evil, Reason: evil},
	}}
	svc.Known.Plan = &api.Plan{Commit: "abc", Trouble: evil, Files: map[string]string{"plan.md": "# Plan: greet\n\n" + evil, "spec.md": "## What\n" + evil, evil: evil}}
	h := serve(t, svc, api.RoleViewer)
	code, body := get(t, h, "/runs/r1/plan")
	if code != http.StatusOK {
		t.Fatalf("%d: %s", code, body)
	}
	for _, want := range []string{"1 of 2 done", "1. Say hello", "after <a href=\"#step-1\">1</a>", "<h3>Plan: greet</h3>", "spec.md"} {
		if !strings.Contains(body, want) {
			t.Errorf("there is no %q", want)
		}
	}
	for _, bad := range []string{"<script>alert", "<img", "onerror=alert(1)>", "\u202e", "\x1b"} {
		if strings.Contains(body, bad) {
			t.Errorf("the page holds %q", bad)
		}
	}
	svc.Known = apitest.Known{}
	if code, body := get(t, h, "/runs/r1/plan"); code != http.StatusOK || !strings.Contains(body, "no plan yet") {
		t.Errorf("without a plan: %d", code)
	}
}

// TestAStepThatIsStuckSaysSo: in words and by its colour, where the plan is listed and
// where it is drawn.
func TestAStepThatIsStuckSaysSo(t *testing.T) {
	svc := reviewed(smallDiff)
	svc.Known.Outline = api.Outline{Kind: "rules", Pieces: []api.Piece{{ID: "1", Title: "Say hello", Status: api.PieceStuck, Reason: "all 3 attempts were used"}}}
	h := serve(t, svc, api.RoleApprover)
	for _, path := range []string{"/runs/r1/plan", "/runs/r1/graph"} {
		_, body := get(t, h, path)
		_, body, _ = strings.Cut(body, "Say hello")
		if !strings.Contains(body, "stuck, waiting for you") || !strings.Contains(body, "all 3 attempts were used") || strings.Contains(body, ">open<") {
			t.Errorf("%s does not say that the step is stuck", path)
		}
	}
	if _, body := get(t, h, "/runs/r1/plan"); !strings.Contains(body, `<li class="s-waiting" id="step-1">`) {
		t.Error("its colour is that of something else")
	}
}
