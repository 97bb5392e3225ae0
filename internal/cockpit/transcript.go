package cockpit

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/agent"
	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/wording"
)

// maxSaid bounds a record on a page, in characters.
const maxSaid = 3000

// transcriptBody is a piece of what an agent said and did.
type transcriptBody struct {
	Attempt string
	Work    work
	Task    string // its address
	Records []said
	Earlier string // address of what came before; empty if nothing did
	Later   string // of what follows, empty if nothing will
	Newest  string
	Live    bool // it goes on
}

// said is a record of a transcript.
type said struct {
	api.Utterance
	Text    string
	Brief   string // of what is folded
	Input   string
	Clipped bool
}

func (c *cockpit) transcript(r *http.Request) (page, error) {
	q := api.TranscriptQuery{Limit: shownRecords, Forward: r.URL.Query().Has("forward")}
	if at := r.URL.Query().Get("at"); at != "" {
		n, err := strconv.ParseInt(at, 10, 64)
		if err != nil || n < 0 {
			return page{}, core.Errorf(core.CodeInvalid, "%.40q is not a position in a transcript", at).WithHint("start at the newest")
		}
		q.At = n
	}
	run := r.PathValue("run")
	piece, err := c.svc.Transcript(r.Context(), run, r.PathValue("attempt"), q)
	if err != nil {
		return page{}, err
	}
	// The browser asks for it again and again while an agent speaks: the page around
	// it is made only if it is asked for.
	body := transcriptOf(run, piece)
	p := page{Name: "transcript", Body: body, Part: "records", Still: true} // transcript.js adds what is new
	if r.Header.Get(partHeader) == p.Part {
		return p, nil
	}
	d, err := c.svc.Run(r.Context(), run)
	if err != nil {
		return page{}, err
	}
	body.Work = workOf(d.Stages, piece.Attempt)
	p.Title = "Transcript of " + body.Work.String()
	return c.aboutRun(r, d, p)
}

func transcriptOf(run string, piece api.Transcript) *transcriptBody {
	path := runPath(run) + "/attempts/" + url.PathEscape(piece.Attempt) + "/transcript"
	t := &transcriptBody{Attempt: piece.Attempt, Task: attemptPath(run, piece.Attempt), Newest: path, Live: !piece.Done}
	if piece.Begin > 0 {
		t.Earlier = fmt.Sprintf("%s?at=%d", path, piece.Begin)
	}
	if t.Live {
		t.Later = fmt.Sprintf("%s?forward&at=%d", path, piece.End)
	}
	for _, u := range piece.Records {
		if u.Kind != string(agent.KindUsage) {
			t.Records = append(t.Records, saidOf(u))
		}
	}
	return t
}

func saidOf(u api.Utterance) said {
	s := said{Utterance: u, Text: clip(maxSaid, u.Text)}
	s.Clipped = u.Cut > 0 || s.Text != u.Text
	switch agent.RecordKind(u.Kind) {
	case agent.KindToolCall:
		s.Brief = clip(160, firstLine(wording.Arguments(u.Input)))
		s.Input = clip(maxSaid, setOut(u.Input))
		s.Clipped = s.Clipped || len(u.Input) > maxSaid
	case agent.KindToolResult, agent.KindThinking, agent.KindRaw, agent.KindStderr:
		s.Brief = clip(160, firstLine(u.Text))
	case agent.KindText, agent.KindUsage, agent.KindNotice, agent.KindResult, agent.KindConnection:
	}
	return s
}

// setOut is JSON indented for people, if it is small enough.
func setOut(raw json.RawMessage) string {
	text := capped{most: maxShown}
	if _, err := text.Write(raw); err != nil || len(raw) == 0 {
		return ""
	}
	return text.render("input.json").Text
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return line
}

// attemptPath is the page of an attempt: that of its task, whose id its own begins
// with.
func attemptPath(run, attempt string) string {
	task := attempt
	if i := strings.LastIndex(attempt, ".a"); i > 0 {
		task = attempt[:i]
	}
	return address(taskPath(run, task), "attempt", attempt)
}
