package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/api/apitest"
	"github.com/stellwerk-dev/stellwerk/internal/hook"
	"github.com/stellwerk-dev/stellwerk/internal/hook/relay"
	"github.com/stellwerk-dev/stellwerk/internal/snapshot"
)

// stopText measures what the end of a turn adds to the context of a session,
// over a run of eight stages with a team in the first: the most of any turn. The
// limit is absolute.
func stopText(ctx context.Context, shop *workshop) (o outcome, err error) {
	dir, err := shop.folder("stop")
	if err != nil {
		return o, err
	}
	if err := snapshot.Write(dir, snapshot.Snapshot{Session: hookSession, Run: "r1", Alias: "brisk-otter"}); err != nil {
		return o, err
	}
	svc := &apitest.Service{}
	r := relay.Relay{
		State: dir, Env: func(string) string { return "" }, Now: time.Now,
		Connect: func(context.Context, bool) (api.Sessions, func() error, error) {
			return svc, func() error { return nil }, nil
		},
	}
	event := fmt.Appendf(nil, `{"session_id":%q,"hook_event_name":"Stop","background_tasks":[]}`, hookSession)
	least, most := 0, 0
	for at := 1; at <= 8; at++ {
		svc.Sessions.Turns(eighth(dir, at))
		var out, errs bytes.Buffer
		if code := r.Handle(ctx, event, &out, &errs); code != 0 {
			return o, fmt.Errorf("the hook ended with %d: %s", code, errs.String())
		}
		var a hook.Answer
		if err := json.Unmarshal(out.Bytes(), &a); err != nil {
			return o, err
		}
		if a.Going() == "" {
			return o, fmt.Errorf("stage %d was not begun: %s", at, out.String())
		}
		most = max(most, len(a.Going()))
		if at > 1 && (least == 0 || len(a.Going()) < least) {
			least = len(a.Going())
		}
	}
	return outcome{ratio: float64(most) / relay.MaxText, measured: fmt.Sprintf("%d B with a team, %d B without", most, least)}, nil
}

// eighth is a turn of the run: a team of five plans, one agent does each of the
// other stages.
func eighth(dir string, at int) api.Turn {
	run := api.Run{ID: "r1", Alias: "brisk-otter", Status: "active"}
	turn := api.Turn{Kind: api.TurnStart, Run: &run, Stage: fmt.Sprintf("stage-%d", at), Round: 1, At: at, Stages: 8}
	agents := 1
	if at == 1 {
		agents = 5
	}
	for i := range agents {
		role := fmt.Sprintf("specialist-developer-%d", i)
		turn.Offers = append(turn.Offers, api.Offer{
			Attempt: fmt.Sprintf("stage-%d-%d.r1.a1", at, i), Role: role, Type: "stellwerk:" + role, N: 1,
			Prompt: fmt.Sprintf("%s/attempts/0198c1d2-7e9b-7c3e-9d2f-1b8c4a6e5f01/stage-%d-%d.r1.a1/prompt.md", dir, at, i),
		})
	}
	return turn
}
