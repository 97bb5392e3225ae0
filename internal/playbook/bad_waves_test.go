package playbook

// inWaves is a valid playbook up to its planner; what follows begins at line 3. planned has the planner, too.
const (
	inWaves = "name: p\nkind: waves\n"
	planned = inWaves + "planner: {role: wave-planner}\n"
)

var badWaves = []bad{
	{"phases of waves", planned + "waves: {workers: [writer]}\nphases:\n- {id: a}\n", []string{
		"5:1: phases: a playbook of kind waves has no phases; that is for kind: phases"}},
	{"steps of waves", planned + "waves: {workers: [writer]}\nsteps: {role: developer}\n", []string{
		"5:1: steps: a playbook of kind waves has no steps; that is for kind: rules or manager"}},
	{"waves of a manager", byManager + "steps: {role: developer}\nplanner: {role: wave-planner}\nwaves: {waves: 2}\n", []string{
		"5:1: planner: a playbook of kind manager has no planner; that is for kind: waves",
		"6:1: waves: a playbook of kind manager has no waves; that is for kind: waves"}},
	{"no planner", inWaves + "waves: {workers: [writer]}\n", []string{
		"1:1: planner is missing; say who splits the goal into delegations: {role: wave-planner}"}},
	{"nobody to delegate to", planned, []string{
		"1:1: there is nobody to delegate to; name roles that work: waves: {workers: [researcher]}, or define them under roles"}},
	{"only a planner", planned + "roles:\n  wave-planner: {model: opus}\n", []string{
		"1:1: there is nobody to delegate to; name roles that work: waves: {workers: [researcher]}, or define them under roles"}},
	{"empty workers", planned + "waves: {workers: []}\n", []string{
		"4:18: waves.workers: the list is empty"}},
	{"empty keys of waves", inWaves + "planner:\nwaves:\n", []string{
		"3:9: planner: is empty; give it a value or remove the key",
		"4:7: waves: is empty; give it a value or remove the key"}},
	{"a nameless planner", inWaves + "planner: {}\nwaves: {workers: [writer]}\n", []string{
		"3:10: planner: role is missing; name the role that plans and delegates, such as wave-planner"}},
	{"wrong forms of waves", inWaves + "planner: wave-planner\nwaves: 3\n", []string{
		`3:10: planner: expected a map, got the text "wave-planner"`,
		`4:8: waves: expected a map, got the number 3`}},
	{"unknown words of waves", inWaves + "planner: {role: wave-planner, watchdog: {}}\nwaves: {workers: [writer], rounds: 2, wave: 3, writes: plan}\n", []string{
		"3:31: planner.watchdog: unknown key; known: role",
		"4:28: waves.rounds: unknown key; known: attempts, delegations, done, timeout, waves, workers, writes",
		`4:39: waves.wave: unknown key; did you mean "waves"?`,
		`4:56: waves.writes: "plan" is not known here; known: artifacts, code`}},
	{"numbers of waves", planned + "waves: {workers: [writer], waves: 0, delegations: 1000, attempts: many, timeout: 5}\n", []string{
		"4:35: waves.waves: 0 is not a whole number between 1 and 100",
		"4:51: waves.delegations: 1000 is not a whole number between 1 and 100",
		`4:67: waves.attempts: expected a whole number, got the text "many"`,
		"4:82: waves.timeout: 5 has no unit; write 90s, 30m or 2h"}},
	{"unknown roles of waves", inWaves + "planner: {role: wave-planer}\nwaves: {workers: [me, writr]}\n", []string{
		`3:17: planner.role: unknown role "wave-planer"; did you mean "wave-planner"?`,
		`4:19: waves.workers[0]: unknown role "me"; ` + builtinRoles,
		`4:23: waves.workers[1]: unknown role "writr"; did you mean "writer"?`}},
	{"a planner that works", planned + "waves: {workers: [writer, wave-planner, writer]}\n", []string{
		`4:27: waves.workers[1]: the role "wave-planner" is the planner's, and a planner does no work itself; name another role`,
		`4:41: waves.workers[2]: the role "writer" is listed twice`}},
	{"checks without code", planned + "waves:\n  workers: writer\n  done: {command: make}\n", []string{
		"6:3: waves.done: these checks look at code, and the workers write none; set writes: code, or remove done: a delegation's own criteria say when it is done"}},
	{"nothing to publish", planned + "waves: {workers: writer, writes: artifacts}\npublish: {push: ask}\n", []string{
		"5:1: publish: there is nothing to publish: the workers write no code; set writes: code under waves, or remove publish"}},
	{"checks of waves", planned + "waves:\n  writes: code\n  workers: builder\n  done:\n  - command: make\n  - changed: src/**\n", []string{
		"9:5: waves.done[1].changed: the check changed looks at what one agent changed, but merges must pass these checks, too; use command or files"}},
	{"no branch of waves", planned + "waves: {workers: builder, writes: code}\npublish: {base: \"a..b\", push: never}\n", []string{
		`5:17: publish.base: "a..b" is not the name of a branch; write, for example, main`,
		`5:31: publish.push: "never" is not known here; known: ask, standing`}},
}
