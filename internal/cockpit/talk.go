package cockpit

import (
	"cmp"
	"context"
	"net/http"
	"strconv"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// How many messages a page shows: at first, and at most.
const (
	fewMessages  = 40
	mostMessages = 640
)

// talkBody is what was said in a project, and what can be said to it.
type talkBody struct {
	Project  api.ProjectDetail
	Run      *api.RunDetail // that drives it
	Of       *api.RunDetail // whose page this is; nil if it is the project's
	Messages []utterance
	Earlier  string // address that shows more; empty if this is all, or the most
	Cut      bool   // there is more than a page shows
	Here     string
	Silent   string // why nothing can be said
	Talks    []api.ConversationView
	In       *api.ConversationView // the only one that is shown; nil if all are
}

// Named is the name of a conversation, if the page shows several.
func (b talkBody) Named(id string) string {
	for _, t := range b.Talks {
		if t.ID == id && b.In == nil {
			return t.Name
		}
	}
	return ""
}

// utterance is a piece of the conversation.
type utterance struct {
	api.Message
	Who  string
	Side string        // whose: mine, people, manager, worker or nobody
	To   string        // the question that it answers
	Open *api.Question // where it waits for an answer
}

// Did says what an utterance does, unless it is a plain message.
func (u utterance) Did() string {
	switch u.Kind {
	case core.SaidGoal:
		return "gave the goal"
	case core.SaidQuestion:
		return "asked"
	case core.SaidAnswer:
		return "answered"
	case core.SaidMessage:
	}
	return ""
}

// Manager says what the run's manager is about; empty if there is none.
func (b talkBody) Manager() string {
	if b.Run == nil || b.Run.Manager == nil {
		return ""
	}
	switch m := b.Run.Manager; {
	case m.Asks:
		return "the manager is waiting for an answer"
	case m.Busy:
		return "the manager is at work"
	case m.Idle:
		return "the manager has nothing to do"
	}
	return "the manager is waiting for the work it delegated"
}

func (c *cockpit) projectTalk(r *http.Request) (page, error) {
	project, err := c.svc.Project(r.Context(), r.PathValue("project"))
	if err != nil {
		return page{}, err
	}
	body := talkBody{Project: project, Here: projectPath(project.Name) + "/talk"}
	p, err := c.talk(r, body)
	p.Nav, p.Trail = "projects", []step{{project.Name, projectPath(project.Name)}}
	return p, err
}

// runTalk is the conversation of the run's project.
func (c *cockpit) runTalk(r *http.Request, d api.RunDetail) (page, error) {
	project, err := c.svc.Project(r.Context(), d.Project)
	if err != nil {
		return page{}, err
	}
	return c.talk(r, talkBody{Project: project, Of: &d, Here: runPath(d.Alias) + "/talk"})
}

func (c *cockpit) talk(r *http.Request, body talkBody) (page, error) {
	p := page{Name: "talk", Title: "Conversation", Projects: []string{body.Project.ID}}
	if run := body.Project.Run; run != nil {
		d, err := c.svc.Run(r.Context(), run.ID)
		if err != nil {
			return page{}, err
		}
		body.Run, p.Runs = &d, []string{d.ID}
		if d.Waves != nil {
			body.Silent = "This run works in waves. Its planner reads only answers."
		}
	}
	n, err := strconv.Atoi(r.URL.Query().Get("n"))
	if err != nil || n < fewMessages {
		n = fewMessages
	}
	n = min(n, mostMessages)
	if body.Talks, err = c.svc.Conversations(r.Context(), api.ConversationQuery{Project: body.Project.ID}); err != nil {
		return page{}, err
	}
	query := api.MessageQuery{Project: body.Project.ID, Last: true, Limit: n + 1}
	for i, t := range body.Talks {
		if t.ID == r.URL.Query().Get("in") {
			body.In, query.Conversation = &body.Talks[i], t.ID
		}
	}
	list, err := c.svc.Messages(r.Context(), query)
	if err != nil {
		return page{}, err
	}
	if len(list) > n {
		list = list[len(list)-n:]
		if body.Cut = n == mostMessages; !body.Cut {
			body.Earlier = address(body.Here, "n", strconv.Itoa(2*n), "in", query.Conversation)
		}
	}
	questions, err := c.svc.Questions(r.Context())
	if err != nil {
		return page{}, err
	}
	body.Messages = utterances(list, questions, api.CallerFrom(r.Context()).Actor.ID)
	p.Body = body
	return p, nil
}

// utterances says of each message who spoke and what it answers.
func utterances(list []api.Message, questions []api.Question, me string) []utterance {
	open, asked := map[string]*api.Question{}, map[string]string{}
	for i := range questions {
		open[questions[i].ID] = &questions[i]
	}
	said := make([]utterance, 0, len(list))
	for _, m := range list {
		u := utterance{Message: m}
		u.Who, u.Side = speaker(m, me)
		switch m.Kind {
		case core.SaidQuestion:
			asked[m.Question], u.Open = m.Text, open[m.Question]
		case core.SaidAnswer:
			u.To = cmp.Or(asked[m.Question], m.Question)
		case core.SaidGoal, core.SaidMessage:
		}
		said = append(said, u)
	}
	return said
}

// speaker names who said something.
func speaker(m api.Message, me string) (who, side string) {
	switch m.Voice {
	case core.VoiceGreen:
		if m.By == core.PlannerStage {
			return "Planner", "manager"
		}
		return "Manager", "manager"
	case core.VoiceRed:
		return strings.TrimSpace("Worker " + m.By), "worker"
	case core.VoiceBlue:
		return strings.TrimSpace(m.By + ", through a program"), "people"
	case core.VoiceUser:
		if m.By == me {
			return "You", "mine"
		}
		return cmp.Or(m.By, "Somebody"), "people"
	}
	return "Nobody answered in time", "nobody"
}

// speak sends a message to a project's manager. If nothing is under way, it begins a
// run, provided that the page said so.
func (c *cockpit) speak(r *http.Request) (string, error) {
	words := strings.TrimSpace(r.PostForm.Get("text"))
	if words == "" {
		return "", core.Errorf(core.CodeInvalid, "nothing was written").WithHint("say it in a sentence or two")
	}
	req := api.Speak{Project: r.PathValue("project"), Text: words, Conversation: r.PostForm.Get("in")}
	if r.PostForm.Has("start") {
		req.Start = &api.StartRun{}
	}
	_, err := c.once.do(r, func(ctx context.Context, id string) (api.Run, error) {
		if req.Start != nil {
			req.Start.ID = id
		}
		_, err := c.svc.Speak(ctx, req)
		return api.Run{}, err
	})
	return talkPath(r.PathValue("project"), req.Conversation), err
}

// talkPath is the page of a conversation, or of all of them.
func talkPath(project, conversation string) string {
	return address(projectPath(project)+"/talk", "in", conversation)
}

// converse begins a conversation.
func (c *cockpit) converse(r *http.Request) (string, error) {
	project := r.PathValue("project")
	talk, err := c.svc.OpenConversation(r.Context(), api.OpenConversation{Project: project, Name: r.PostForm.Get("name")})
	return talkPath(project, talk.ID), err
}
