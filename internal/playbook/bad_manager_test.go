package playbook

// managed is a valid playbook up to its manager; what follows begins at line 3. byManager has the manager, too.
const (
	managed   = "name: p\nkind: manager\n"
	byManager = managed + "manager: {role: project-manager}\n"
)

var badManagers = []bad{
	{"plan of a manager", byManager + "plan: {role: nobody}\nsteps: {role: developer}\n", []string{
		"4:1: plan: a playbook of kind manager has no plan; that is for kind: rules"}},
	{"phases of a manager", byManager + "steps: {role: developer}\nphases:\n- {id: a}\n", []string{
		"5:1: phases: a playbook of kind manager has no phases; that is for kind: phases"}},
	{"no manager", managed + "steps: {role: developer}\n", []string{
		"1:1: manager is missing; say who manages the project: {role: project-manager}"}},
	{"nobody to manage", byManager, []string{
		"1:1: steps is missing; say who does the steps of the plan, and what must hold of them"}},
	{"empty manager", managed + "manager:\nsteps: {role: developer}\n", []string{
		"3:9: manager: is empty; give it a value or remove the key"}},
	{"nameless", managed + "manager: {watchdog: {every: 1m}}\nsteps: {done: {command: make}}\n", []string{
		"3:10: manager: role is missing; name the role that plans and delegates, such as project-manager",
		"4:8: steps: role is missing; name the role that does a step"}},
	{"wrong forms of a manager", managed + "manager: project-manager\nsteps: developer\npublish: [ask]\n", []string{
		`3:10: manager: expected a map, got the text "project-manager"`,
		`4:8: steps: expected a map, got the text "developer"`,
		`5:10: publish: expected a map, got a list`}},
	{"unknown words of a manager", managed + "manager: {role: project-manager, watchdg: {}, timeout: 15m}\nsteps: {role: developer, atempts: 2}\npublish: {push: always}\n", []string{
		`3:34: manager.watchdg: unknown key; did you mean "watchdog"?`,
		`3:47: manager.timeout: unknown key; known: reviews, role, watchdog`,
		`4:26: steps.atempts: unknown key; known: done, fixer, resolver, review, reviewer, role, rounds, specialists`,
		`5:17: publish.push: "always" is not known here; known: ask, standing`}},
	{"rules of a manager", byManager + "steps: {role: developer, review: never, reviewer: code-reviewer, rounds: 2}\n", []string{
		"4:26: steps.review: a playbook of kind manager has no review of steps; remove it: the manager asks for reviews itself, of the role that reviewer names",
		"4:66: steps.rounds: a playbook of kind manager has no rounds of steps; remove it: the manager decides what is begun anew"}},
	{"wrong watchdogs", managed + "manager:\n  role: project-manager\n  watchdog: {every: 5, silent: soon, often: 1m}\nsteps: {role: developer}\n", []string{
		"5:21: manager.watchdog.every: 5 has no unit; write 90s, 30m or 2h",
		`5:32: manager.watchdog.silent: "soon" is not a duration; write 90s, 30m or 2h`,
		"5:38: manager.watchdog.often: unknown key; known: every, silent"}},
	{"no reviews at all", managed + "manager: {role: project-manager, reviews: 0}\nsteps: {role: developer}\n", []string{
		"3:43: manager.reviews: 0 is not a whole number between 1 and 20"}},
	{"a watchdog as text", managed + "manager: {role: project-manager, watchdog: 5m}\nsteps: {role: developer}\n", []string{
		`3:44: manager.watchdog: expected a map, got the text "5m"`}},
	{"times of a watchdog", managed + "manager: {role: project-manager, watchdog: {every: 500ms, silent: 200h}}\nsteps: {role: developer}\n", []string{
		"3:52: manager.watchdog.every: 500ms is not between 1s and 168h",
		"3:67: manager.watchdog.silent: 200h is not between 1s and 168h"}},
	{"unknown manager", managed + "manager: {role: projct-manager}\nsteps: {role: developer, reviewer: me}\n", []string{
		`3:17: manager.role: unknown role "projct-manager"; did you mean "project-manager"?`,
		`4:36: steps.reviewer: unknown role "me"; ` + builtinRoles}},
	{"a manager that works", managed + "manager: {role: developer}\nsteps: {role: developer, reviewer: developer, fixer: developer, resolver: developer, specialists: [test-engineer, developer]}\n", []string{
		`4:15: steps.role: the role "developer" is the manager's, and a manager does no work itself; name another role`,
		`4:36: steps.reviewer: the role "developer" is the manager's, and a manager does no work itself; name another role`,
		`4:54: steps.fixer: the role "developer" is the manager's, and a manager does no work itself; name another role`,
		`4:75: steps.resolver: the role "developer" is the manager's, and a manager does no work itself; name another role`,
		`4:115: steps.specialists[1]: the role "developer" is the manager's, and a manager does no work itself; name another role`}},
	{"checks of what was delegated", byManager + "steps:\n  role: developer\n  done:\n  - command: make\n  - artifact: notes.md\n", []string{
		"8:5: steps.done[1].artifact: the check artifact looks at documents, but steps and merges hand in none; use command or files"}},
	{"no branch of a manager", byManager + "steps: {role: developer}\npublish: {base: \"a..b\"}\n", []string{
		`5:17: publish.base: "a..b" is not the name of a branch; write, for example, main`}},
}
