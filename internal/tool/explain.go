package tool

// What each tool is for, as people and agents read it in --help and over MCP.
const (
	ExplainDelegate = `Gives work to an agent that sees only the prompt and the repository: say what
to do, where, and how to tell that it is done. Without a branch, Stellwerk puts
the work on a branch of its own and merges it once it is verified. With a branch
(a short name, such as api) the work stays there until --kind merge merges it:
use that for work that needs a review first. Stellwerk runs the project's own
checks on all work before it reports the end of it.`

	ExplainKinds = `Kinds:
  code      work that must change something (the default, except with --output)
  review    has a branch reviewed; needs a branch
  fix       continues a branch to fix what its review found; needs a branch
  merge     merges a branch; Stellwerk does it itself, no prompt needed
  discard   discards a branch; no prompt needed
  validate  runs the checks of the run's branch again; no prompt needed
  pr        publishes the run's branch and opens the pull request, once every
            step of the plan is done and nothing is open; no prompt needed`

	ExplainMessage = `Writes to the project's conversation, in Markdown. Answer when somebody wrote;
otherwise write only what people need to know.`

	ExplainPlan = `Commits the Markdown files of .ai that you changed: plan.md, and optionally
context.md and spec.md. Edit the files first. Stellwerk refuses a plan that it
cannot read or that somebody else has changed meanwhile, and commits nothing.
It returns once the commit is made.`

	ExplainShowPlan = `Prints the plan as it is now. Your next update-plan counts as a change to this
version.`

	ExplainDetail = `Prints what a run in waves has produced: a document by its id (d3) or its name,
which gives the newest of that name; the whole answer to a delegation by the
delegation's id; a document of a wave (wave_02_detailed.md); a fact by its id
(f7) or key; an answer by the id of its question. --list lists everything. Of a
long document it prints the beginning, and says where to continue.`

	ExplainQuestion = `Asks the people of the project. The project waits for the answer once the turn
has ended, so ask only what you cannot decide. Ask each question once; the
answer wakes the manager. With a default and a time, the default becomes the
answer if nobody answers in time.`
)
