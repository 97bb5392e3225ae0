package playbook

import "strings"

// rules is a valid playbook up to its steps; what follows begins at line 3.
const rules = "name: p\nkind: rules\n"

var badRules = []bad{
	{"phases among rules", rules + "steps: {role: developer, review: never}\nphases:\n- {id: a, role: planner, outputs: [a.md]}\n", []string{
		"4:1: phases: a playbook of kind rules has no phases; that is for kind: phases"}},
	{"manager among rules", rules + "manager: {role: project-manager}\nsteps: {role: developer, review: never}\n", []string{
		"3:1: manager: a playbook of kind rules has no manager; that is for kind: manager"}},
	{"no steps", rules + "plan: {role: planner}\n", []string{
		"1:1: steps is missing; say who does the steps of the plan, and what must hold of them"}},
	{"nobody", rules + "plan: {gate: approval}\nsteps: {done: [{command: make}]}\n", []string{
		"3:7: plan: role is missing; name the role that writes the plan",
		"4:8: steps: role is missing; name the role that does a step",
		"4:8: steps: reviewer is missing; name the role that reviews, or set review: never"}},
	{"empty reviewer", rules + "steps:\n  role: developer\n  reviewer:\n", []string{
		"5:12: steps.reviewer: is empty; give it a value or remove the key"}},
	{"unknown words", rules + "plan: {role: planner, gate: ask, gat: x}\nsteps: {role: developer, review: sometimes, rounds: 0, atempts: 2}\npublish: {push: always, bas: main}\n", []string{
		`3:29: plan.gate: "ask" is not known here; known: approval, auto`,
		`3:34: plan.gat: unknown key; did you mean "gate"?`,
		`4:34: steps.review: "sometimes" is not known here; known: always, never`,
		`4:53: steps.rounds: 0 is not a whole number between 1 and 20`,
		`4:56: steps.atempts: unknown key; known: done, fixer, resolver, review, reviewer, role, rounds, specialists`,
		`5:17: publish.push: "always" is not known here; known: ask, standing`,
		`5:25: publish.bas: unknown key; did you mean "base"?`}},
	{"unknown roles", rules + "plan: {role: planer}\nsteps: {role: developr, reviewer: nobody-known, fixer: coder, resolver: merger-of-all, specialists: [ui-designr]}\n", []string{
		`3:14: plan.role: unknown role "planer"; did you mean "planner"?`,
		`4:15: steps.role: unknown role "developr"; did you mean "developer"?`,
		`4:35: steps.reviewer: unknown role "nobody-known"; ` + builtinRoles,
		`4:56: steps.fixer: unknown role "coder"; ` + builtinRoles,
		`4:73: steps.resolver: unknown role "merger-of-all"; ` + builtinRoles,
		`4:102: steps.specialists[0]: unknown role "ui-designr"; did you mean "ui-designer"?`}},
	{"specialists", rules + "steps: {role: developer, review: never, specialists: [test-engineer, developer, test-engineer]}\n", []string{
		`3:70: steps.specialists[1]: the role "developer" does every step that names no other; remove it from the list`,
		`3:81: steps.specialists[2]: the role "test-engineer" is listed twice`}},
	{"wrong forms", rules + "plan: planner\nsteps: [developer]\npublish: ask\n", []string{
		`3:7: plan: expected a map, got the text "planner"`,
		`4:8: steps: expected a map, got a list`,
		`5:10: publish: expected a map, got the text "ask"`}},
	{"review of nothing", rules + "steps: {role: developer, reviewer: code-reviewer, review: {}}\n", []string{
		"3:59: steps.review: paths is missing; name the files whose change is reviewed"}},
	{"empty paths", rules + "steps: {role: developer, reviewer: code-reviewer, review: {paths: []}}\n", []string{
		"3:67: steps.review.paths: the list is empty"}},
	{"review as a list", rules + "steps: {role: developer, reviewer: code-reviewer, review: [\"**/*.sql\"]}\n", []string{
		"3:59: steps.review: expected text, got a list"}},
	{"bad globs of a review", rules + "steps:\n  role: developer\n  reviewer: code-reviewer\n  review:\n    paths: [/etc, \"a/../../b\", \"[a\", \"!x\", \"{a,b}{a,b}{a,b}{a,b}{a,b}\"]\n", []string{
		`7:13: steps.review.paths[0]: the glob "/etc" is absolute; name files inside the project, relative to its root`,
		`7:19: steps.review.paths[1]: the glob "a/../../b" leaves the project; name files inside the project, relative to its root`,
		`7:32: steps.review.paths[2]: the glob "[a" is malformed; every [ and { needs its closing bracket`,
		`7:38: steps.review.paths[3]: the glob "!x" is negated; use a check of the kind not`,
		`7:44: steps.review.paths[4]: the glob "{a,b}{a,b}{a,b}{a,b}{a,b}" is too long or has too many alternatives; split it into several`}},
	{"too many globs", rules + "steps: {role: developer, reviewer: code-reviewer, review: {paths: [" + strings.Repeat("a, ", 70) + "b]}}\n", []string{
		"3:260: steps.review.paths[64]: these are more globs than are looked at; name whole folders: internal/**"}},
	{"checks of a delivery", rules + "steps:\n  role: developer\n  review: never\n  done:\n  - command: make\n  - changed: \"**\"\n  - git: linear\n  - artifact: notes.md\n  - any: [{state: .ok}, {files: a}, {not: {changed: b}}]\n", []string{
		"8:5: steps.done[1].changed: the check changed looks at what one agent changed, but merges must pass these checks, too; use command or files",
		"9:5: steps.done[2].git: the check git looks at what one agent changed, but merges must pass these checks, too; use command or files",
		"10:5: steps.done[3].artifact: the check artifact looks at documents, but steps and merges hand in none; use command or files",
		"11:12: steps.done[4].any[0].state: the check state looks at what agents report, but merges must pass these checks, too; use command or files",
		"11:44: steps.done[4].any[2].not.changed: the check changed looks at what one agent changed, but merges must pass these checks, too; use command or files"}},
	{"bad checks of a step", rules + "steps: {role: developer, review: never, done: [{files: ../x}, {comand: make}, {command: \"coverage=1; x ${coverage}\"}]}\n", []string{
		`3:56: steps.done[0].files: the glob "../x" leaves the project; name files inside the project, relative to its root`,
		`3:64: steps.done[1].comand: unknown key; did you mean "command"?`,
		"3:89: steps.done[2].command: the command sets a variable coverage, but ${coverage} stands for the run's own target; give the variable another name"}},
	{"no branch to return to", rules + "steps: {role: developer, review: never}\npublish: {base: \"my branch\"}\n", []string{
		`4:17: publish.base: "my branch" is not the name of a branch; write, for example, main`}},
}

const builtinRoles = "known: angular-frontend-developer, api-architect, architect, architect-planner, architect-reviewer, builder, code-reviewer, developer, examiner, planner, postgresql-architect, project-manager, researcher, security-auditor, spring-boot-developer, test-engineer, tester, ui-designer, wave-planner, writer"
