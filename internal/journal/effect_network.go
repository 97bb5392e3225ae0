package journal

import (
	"encoding/json"
	"fmt"

	"github.com/stellwerk-dev/stellwerk/internal/agent"
	"github.com/stellwerk-dev/stellwerk/internal/runfolder"
	"github.com/stellwerk-dev/stellwerk/internal/shim"
)

// networkTool stands for the tool of a connection: which of an agent's calls asked for it is not known.
const networkTool = "network"

// connected is a connection as a record. Requests to the model are counted elsewhere: there is one for each step of an
// agent. Those that were not answered are shown.
func connected(e shim.Entry, by runfolder.SideEffect) (runfolder.SideEffect, bool) {
	c := e.Record.Connection
	if c == nil || c.Protocol == agent.ProtocolModel && c.Allowed {
		return by, false
	}
	by.N, by.At, by.Tool, by.Outcome = e.N, e.At, networkTool, runfolder.OutcomeOK
	switch {
	case !c.Allowed:
		by.Outcome, by.Reason = runfolder.OutcomeRefused, runfolder.ShortText(c.Cause)
	case c.Cause != "":
		by.Outcome, by.Reason = runfolder.OutcomeError, runfolder.ShortText(c.Cause)
	}
	input, err := json.Marshal(struct {
		Host     string `json:"host"`
		Port     int    `json:"port,omitempty"`
		Protocol string `json:"protocol,omitempty"`
		Sent     int64  `json:"sent"`
		Received int64  `json:"received"`
	}{c.Host, c.Port, c.Protocol, c.Sent, c.Received})
	if err != nil {
		by.Reason = err.Error()
	}
	by.Input = runfolder.ShortArguments(input)
	return by, true
}

// unrouted is the record of what was sent past the proxy.
func unrouted(exit shim.Exit, by runfolder.SideEffect, after int64) []runfolder.SideEffect {
	if exit.Traffic == nil || exit.Traffic.Unrouted == 0 {
		return nil
	}
	by.N, by.At, by.Tool, by.Outcome = after+1, exit.EndedAt, networkTool, runfolder.OutcomeRefused
	by.Reason = fmt.Sprintf("%d packets were sent past the proxy, to addresses that a closed network has no way to; they went nowhere", exit.Traffic.Unrouted)
	return []runfolder.SideEffect{by}
}

// Connections implements dispatch.Folder.
func (j *Journal) Connections(run, folder string) error {
	found, _, _, err := seen(folder, run, "")
	if err != nil {
		return err
	}
	if len(found) == 0 {
		return nil
	}
	return j.Use(run, func(f *runfolder.Folder) error { return f.SideEffects(found...) })
}
