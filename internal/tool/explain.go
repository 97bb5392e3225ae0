package tool

// What each tool is for, in the words that its users read: people and agents, by
// --help and by MCP.
const (
	ExplainDelegate = `Has work done by an agent who sees only the prompt and the repository: say what
is to be done, where, and how it is known to be done. Without a branch the work
gets one of its own and is merged as soon as it is verified. With a branch (a
short name, such as api) it stays there until it is merged with --kind merge:
use that for work that is to be reviewed first. Every piece of work is verified
by the project's own checks before its end is told.`

	ExplainKinds = `Kinds, where one is needed:
  code      work that must change something (the default, but for --output)
  review    has a branch reviewed; needs a branch
  fix       continues a branch with what its review found; needs a branch
  merge     merges a branch; done by Stellwerk itself, no prompt needed
  discard   gives a branch up; no prompt needed
  validate  runs the checks of the run's branch once more; no prompt needed
  pr        publishes the run's branch and opens the pull request, once every
            step of the plan is done and nothing is open; no prompt needed`

	ExplainMessage = `Writes to the project's conversation, in Markdown. Answer when somebody wrote;
otherwise write only what people need to know.`

	ExplainPlan = `Commits the Markdown files of .ai that were changed: plan.md, and where wanted
context.md and spec.md. Edit the files first. A plan that cannot be read, or
that somebody else has changed meanwhile, is refused and nothing is committed.
It returns when the commit is made.`

	ExplainShowPlan = `Prints the plan as it is now. After that a change is taken as one of this plan.`

	ExplainDetail = `Reads what attempts of a run in waves have handed in and what is known there: a
document by its id (d3) or its name, which gives the newest of that name, the
whole answer of a delegation by the delegation's id, a document of a wave
(wave_02_detailed.md), a fact by its id (f7) or key, an answer by the id of its
question. --list shows everything there is. Of what is long the beginning is
printed, and where to go on.`

	ExplainQuestion = `Asks the people of the project. The project waits for the answer once the turn
has ended, so ask only what cannot be decided otherwise. A question is asked
once; the answer wakes the manager. With a default and a time, the default is
the answer where nobody gave one in time.`
)
