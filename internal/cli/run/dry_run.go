package run

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
	"github.com/stellwerk-dev/stellwerk/internal/cli/terminal"
	"github.com/stellwerk-dev/stellwerk/internal/cli/view"
	"github.com/stellwerk-dev/stellwerk/internal/config"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/role"
	"github.com/stellwerk-dev/stellwerk/internal/wording"
)

// dry shows what the run would start with, and starts nothing. It fails if the
// preflight does.
func (o *runOptions) dry(ctx context.Context, sh *shell.Shell) error {
	return sh.Connect(ctx, func(svc api.Service) error {
		r, err := watched(ctx, sh, svc, &o.req, svc.Rehearse)
		if err != nil {
			return err
		}
		if sh.JSON {
			err = sh.PrintJSON(r)
		} else {
			printRehearsal(sh, r, o.req.Trust)
		}
		if err == nil && r.Problem != nil {
			return shell.Exit(shell.ExitError)
		}
		return err
	}, shell.Anew)
}

func printRehearsal(sh *shell.Shell, r api.Rehearsal, trusted bool) {
	style := sh.Console.Style
	field := func(name, value string) {
		if value != "" {
			sh.PrintText("  "+terminal.Pad(name, 11), value)
		}
	}
	sh.Printf("%s\n", style.Strong(terminal.Line(r.Title)))
	field("playbook", fmt.Sprintf("%s (%s, %s)", r.Playbook, r.Kind, view.Place(r.Origin)))
	field("branch", fmt.Sprintf("%s from %s at %s", r.Branch, r.Base, wording.Short(r.BaseCommit)))
	field("isolation", r.Isolation)
	field("network", networkLine(r.Network))
	for _, line := range settingLines(r.Network.Settings) {
		field("packages", line)
	}
	field("setup", r.Setup)
	for _, c := range r.Caches {
		field("cache", fmt.Sprintf("%s, while %s is unchanged", c.Path, strings.Join(c.Key, ", ")))
	}
	field("limits", view.Limits(r.Limits))
	field("resources", wording.Resources(r.Resources.Attempt))
	sh.Printf("\n")
	for _, s := range r.Stages {
		if slices.Equal(s.Reach, r.Network.Attempts) {
			s.Reach = nil // said once, for all
		} else if s.Act == "" && len(s.Reach) == 0 {
			s.Reach = []string{wording.Reach(nil)}
		}
		printStage(sh, s)
	}
	sh.Printf("\n")
	for _, played := range r.Roles {
		source := view.RoleSource{Name: played.Name, Origin: played.Origin, Agent: played.Agent, Text: played.Text != "", Shadows: played.Shadows}
		sh.PrintText("  role "+terminal.Line(played.Name)+": ", "played by "+played.Program+"; "+source.String())
		if played.Text != "" && played.Origin == r.Origin && played.Origin != role.OriginBuiltin { // a role's file is named
			sh.PrintText("    prompt: ", played.Text)
		}
	}
	sh.Printf("\n")
	printPreflight(sh, r, trusted)
}

func printStage(sh *shell.Shell, s api.RehearsedStage) {
	line := worker(s)
	if s.Attempts > 0 {
		line += fmt.Sprintf(", at most %s of %s", wording.Count(s.Attempts, "attempt"), wording.Duration(s.Timeout))
	}
	if s.Gate != "" {
		line += ", gate: " + string(s.Gate)
	}
	sh.PrintText(sh.Console.Style.Strong("stage "+terminal.Line(s.ID))+": ", line)
	detail := func(prefix, text string) {
		if text != "" {
			sh.PrintText(prefix, text)
		}
	}
	detail("    when:   ", s.When)
	detail("    does:   ", s.Does)
	detail("    prompt: ", s.Prompt)
	detail("    reads:  ", strings.Join(s.Inputs, ", "))
	detail("    reaches: ", strings.Join(s.Reach, ", "))
	for _, c := range s.Checks {
		detail("    check:  ", c)
	}
}

// networkLine says what agents, setup and checks can reach.
func networkLine(r api.Reachable) string {
	switch r.Mode {
	case config.NetworkOpen:
		return "open: agents, setup and checks can connect anywhere"
	case config.NetworkNone:
		return "none: agents reach only their model; setup and checks reach nothing"
	}
	line := fmt.Sprintf("agents reach their model and %s; setup: %s; checks: %s", wording.Reach(r.Attempts), wording.Reach(r.Setup), wording.Reach(r.Checks))
	if len(r.Attempts) == 0 {
		line = fmt.Sprintf("agents reach their model; setup: %s; checks: %s", wording.Reach(r.Setup), wording.Reach(r.Checks))
	}
	if len(r.Deny) > 0 {
		line += "; never " + strings.Join(r.Deny, ", ")
	}
	return line
}

// settingLines are the variables and home files for package managers.
func settingLines(s core.ToolSettings) []string {
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(s.Variables)) {
		lines = append(lines, name+"="+s.Variables[name])
	}
	for _, name := range slices.Sorted(maps.Keys(s.Files)) {
		text := strings.Split(strings.TrimSpace(s.Files[name]), "\n")
		lines = append(lines, "~/"+name+": "+strings.Join(text, "; "))
	}
	return lines
}

// worker is who works on a stage.
func worker(s api.RehearsedStage) string {
	switch {
	case s.Act != "":
		return "Stellwerk itself: " + string(s.Act)
	case len(s.Team) > 0:
		return "team of " + strings.Join(s.Team, ", ")
	case len(s.Roles) == 0:
		return s.Role
	case s.Role == "":
		return "one of " + strings.Join(s.Roles, ", ")
	}
	return s.Role + " (or, if named, " + strings.Join(s.Roles, ", ") + ")"
}

func printPreflight(sh *shell.Shell, r api.Rehearsal, trusted bool) {
	style := sh.Console.Style
	sh.Warn(r.Warnings)
	if len(r.Untrusted) > 0 {
		then := "the run would ask"
		if trusted {
			then = "the run would trust it because of --trust"
		}
		sh.PrintText("  trust: ", "nobody has trusted "+strings.Join(r.Untrusted, ", ")+" yet; "+then)
	}
	notes := wording.Preflight(r.Preflight)
	for _, note := range notes {
		sh.PrintText("  "+style.Asking("preflight: "), note)
	}
	switch {
	case r.Problem != nil:
		sh.PrintText("  "+style.Bad("preflight: "), r.Problem.Reason)
		if r.Problem.Hint != "" {
			sh.PrintText("    try: ", r.Problem.Hint)
		}
		sh.Printf("The run would not start.\n")
	case len(notes) == 0:
		sh.PrintText("  "+style.Good("preflight: "), "agents and checks are in order")
		fallthrough
	default:
		sh.Printf("Nothing was started.\n")
	}
}
