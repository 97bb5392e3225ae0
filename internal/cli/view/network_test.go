package view_test

import (
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

func TestARunSaysHowToAllowWhatWasRefused(t *testing.T) {
	told := func(traffic *core.Traffic) string {
		d := api.RunDetail{Stages: []api.Stage{{ID: "build", Status: core.StageOpen, Tasks: []api.Task{{
			ID: "build.r1", Status: core.TaskWaiting, Attempts: []api.Attempt{{ID: "build.r1.a1", Status: "ended", Traffic: traffic}},
		}}}}}
		return strings.Join(strings.Fields(strings.Join(plain().Run(d), " ")), " ")
	}
	const hosts, how = "network: 2 connections refused (api.example.com:443, git.example.com:22)", "To allow a host, list it under `network`"
	if said := told(&core.Traffic{Refused: 2, Turned: []string{"api.example.com:443", "git.example.com:22"}}); !strings.Contains(said, hosts+" "+how) {
		t.Errorf("a refusal is told as %s", said)
	}
	if said := told(&core.Traffic{Allowed: 2}); strings.Contains(said, how) {
		t.Errorf("nothing was refused: %s", said)
	}
}
