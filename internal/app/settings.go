package app

import (
	"errors"
	"fmt"
	"os"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/config"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// flagsOf are the settings that a request names.
func flagsOf(req api.StartRun) map[string]string {
	flags := map[string]string{}
	set := func(key, value string) {
		if value != "" && value != "0" && value != "0s" {
			flags[key] = value
		}
	}
	set("isolation", req.Isolation)
	set("network.mode", req.Network)
	set("agent", req.Agent)
	set("forge", req.Forge)
	set("remote", req.Remote)
	set("repository", req.Repository)
	set("preflight", req.Preflight)
	if l := req.Limits; l != nil {
		set("limits.attempts", fmt.Sprint(l.Attempts))
		set("limits.wall_time", l.WallTime.String())
		set("limits.parallel", fmt.Sprint(l.Parallel))
		set("limits.cost_usd", fmt.Sprint(l.CostUSD))
		set("limits.tokens", fmt.Sprint(l.Tokens))
		set("limits.attempt.cost_usd", fmt.Sprint(l.Attempt.CostUSD))
		set("limits.attempt.tokens", fmt.Sprint(l.Attempt.Tokens))
	}
	return flags
}

// steeringFiles are what the person and a repository's settings add to the files whose change is named.
func steeringFiles(repository []byte) ([]string, error) {
	s, _, err := loadSettings(nil, config.File{Name: config.ProjectFile, Data: repository})
	if err != nil {
		return nil, err
	}
	return s.Steering.V, nil
}

// userSettings settles what holds by the person's own word, given flags.
func userSettings(flags map[string]string) (*config.Settings, error) {
	s, _, err := loadSettings(flags, config.File{})
	return s, err
}

func loadSettings(flags map[string]string, project config.File) (*config.Settings, []string, error) {
	name, err := config.UserFile(os.Getenv)
	if err != nil {
		return nil, nil, err
	}
	data, err := os.ReadFile(name)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, nil, core.Wrap(core.CodeUnavailable, err, "your settings cannot be read", "check "+name)
	}
	s, warnings, err := config.Load(config.Input{Flags: flags, Env: os.LookupEnv, User: config.File{Name: name, Data: data}, Project: project})
	texts := make([]string, 0, len(warnings))
	for _, w := range warnings {
		texts = append(texts, w.String())
	}
	return s, texts, err
}
