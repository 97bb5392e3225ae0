package hook

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/guard"
	"github.com/stellwerk-dev/stellwerk/internal/snapshot"
	"github.com/stellwerk-dev/stellwerk/internal/steering"
)

// orchestrator decides for the session itself, which carries messages between the
// person, the engine and the agents: it starts what is offered, speaks to the engine,
// and reads and writes documents.
type orchestrator struct {
	state string
	snap  snapshot.Snapshot
	in    Input
}

func (o orchestrator) decide() Answer {
	switch kindOf(o.in.Tool) {
	case harmless:
		return Silent()
	case runs:
		return o.run()
	case reads:
		return o.file(false)
	case writes:
		return o.file(true)
	case searches:
		return denied("this session explores nothing while it carries run %s; the agents do that", o.snap.Alias)
	case starts:
		return o.start()
	case asks:
		return denied("ask in plain words and end your turn: what the person types themselves counts, a chosen option does not")
	case unknown:
	}
	return denied("%s is not for the session that carries run %s; agents do the work. `stellwerk pause` stops the run", o.in.Tool, o.snap.Alias)
}

// run allows calls of Stellwerk without asking the person: the engine decides on them.
func (o orchestrator) run() Answer {
	line := o.in.text("command")
	if ownCall(line) {
		return allowed(nil)
	}
	verdict := o.policy().Command(line)
	if verdict.Rule == guard.PersonsWord {
		if strings.Contains(line, "stellwerk run ") { // as the commands that begin a run say it
			return denied("this session carries run %s, and one project has one run in a session at a time: show the person that it must end first. "+
				"They go on with it (/stellwerk:resume) or discard it (/stellwerk:cancel). End your turn; do neither for them", o.snap.Alias)
		}
		verdict.Reason = "call `stellwerk` alone and plainly, without a variable, a pipe or another command beside it; for this session there are " + strings.Join(ownVerbs(), ", ")
	}
	if answer, no := refused(verdict); no {
		return answer
	}
	return o.isolated(line)
}

// isolated rewrites a line so that it runs with the checkout read-only, and sees
// neither Stellwerk's own files nor a credential. So a command that the guard did not
// recognise, or a script, can do no harm. The client asks the person whether it runs
// at all, as ever.
func (o orchestrator) isolated(line string) Answer {
	if len(o.snap.Shell) == 0 {
		return denied("commands of this session cannot be isolated on this machine, so only `stellwerk` itself may be run; there are %s", strings.Join(ownVerbs(), ", "))
	}
	return rewriteCommand(o.in, append(slices.Clone(o.snap.Shell), o.in.Dir, line), rewritten)
}

// file judges a path both as it is named and as what it resolves to. The session reads
// and writes documents of its repository, and reads those of its runs.
func (o orchestrator) file(write bool) Answer {
	path := o.in.file()
	at, err := resolve(path, o.in.Dir)
	if err != nil {
		return denied("%v", err)
	}
	if !o.near(at, write) {
		return denied("%s is neither in %s nor a document of a run; this session touches nothing else while it carries run %s", at, o.snap.Root, o.snap.Alias)
	}
	for _, name := range []string{path, at} {
		verdict := o.readPolicy(at).Read(name)
		if write {
			verdict = o.policy().Write(name)
		}
		if answer, no := refused(verdict); no {
			return answer
		}
	}
	return Silent()
}

func (o orchestrator) near(at string, write bool) bool {
	roots := []string{o.snap.Root}
	if !write {
		roots = append(roots, filepath.Join(o.state, "runs"))
	}
	for _, root := range roots {
		if real, err := resolve(root, "/"); err == nil && inside(at, real) {
			return !write || !steers(strings.TrimPrefix(at, real))
		}
	}
	return false
}

// steers reports a path below a checkout that tells programs what to do, or that
// belongs to git.
func steers(path string) bool { return ofGit(path) || steering.Files{}.Named(path) }

// start lets an offered agent start, with the prompt of the offer instead of the
// model's.
func (o orchestrator) start() Answer {
	if len(o.snap.Offers) == 0 {
		return denied("there is nothing to start now; end your turn, and Stellwerk says what comes next")
	}
	given := o.in.text("subagent_type")
	for _, offer := range o.snap.Offers {
		if given == offer.Type || given == afterColon(offer.Type) {
			return o.offered(offer)
		}
	}
	var types []string
	for _, offer := range o.snap.Offers {
		types = append(types, offer.Type)
	}
	return denied("start only what is offered now: the Agent tool with subagent_type %s", strings.Join(types, ", and with "))
}

func (o orchestrator) offered(offer snapshot.Offer) Answer {
	description := o.in.text("description")
	if description == "" {
		description = afterColon(offer.Type)
	}
	fields := map[string]any{
		"description": description, "prompt": offer.Prompt, "subagent_type": offer.Type, "run_in_background": false,
	}
	if modelAlias(offer.Model) {
		fields["model"] = offer.Model
	}
	updated := map[string]raw{}
	for name, value := range fields {
		data, err := json.Marshal(value)
		if err != nil {
			return denied("the offer cannot be passed on: %v", err)
		}
		updated[name] = data
	}
	return allowed(updated)
}

// modelAlias reports a name that the Agent tool accepts; any other is left to the
// agent's own file.
func modelAlias(name string) bool { return name == "sonnet" || name == "opus" || name == "haiku" }

func afterColon(s string) string {
	_, name, found := strings.Cut(s, ":")
	if !found {
		return s
	}
	return name
}
