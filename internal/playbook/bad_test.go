package playbook

import (
	"slices"
	"strings"
	"testing"
)

// head is a valid playbook up to the list of phases; what follows begins at line 4.
const head = "name: p\nkind: phases\nphases:\n"

// bad is a file with what is wrong with it: every problem, in order, exactly.
type bad struct {
	name string
	text string
	want []string
}

func allBad() []bad { return slices.Concat(badPlaybooks, badRules, badManagers, badWaves) }

var badPlaybooks = []bad{
	{"empty file", "", []string{"1:1: the file is empty"}},
	{"only a comment", "# nothing\n", []string{"1:1: the file is empty"}},
	{"two documents", head + "- {id: a, role: planner, outputs: [a.md]}\n---\nname: q\n",
		[]string{"5:1: the file holds more than one document; keep one, and remove the line ---"}},
	{"not a map", "- a\n", []string{"1:1: expected a map, got a list"}},
	{"tab", "name: p\nkind: phases\nphases:\n- id: a\n\trole: planner\n",
		[]string{"5:1: a tab indents this line; YAML is indented with spaces"}},
	{"tab after spaces", "name: p\ndefaults:\n  attempts: 1\n  \ttimeout: 1m\n",
		[]string{"4:3: a tab indents this line; YAML is indented with spaces"}},
	{"unquoted star", head + "- id: a\n  role: planner\n  done:\n  - changed: *.go\n",
		[]string{"7:3: did not find expected alphabetic or numeric character; a value that begins with * must be quoted"}},
	{"unquoted colon", head + "- id: a\n  role: planner\n  prompt: do this: now\n",
		[]string{`6:3: mapping values are not allowed in this context; a value that contains ": " must be quoted`}},
	{"not UTF-8", "name: p\nkind: \xff\n", []string{"2:7: the file is not UTF-8 text; save it as UTF-8"}},
	{"NUL byte", "name: \x00p\n", []string{"1:7: the file is not UTF-8 text; save it as UTF-8"}},
	{"alias bomb", bomb(), []string{"6:30: the file is nested too deeply or repeats itself too often through aliases; at most 32 levels and 20000 values"}},
	{"self-containing alias", "name: &a [*a]\n",
		[]string{"1:11: the file is nested too deeply or repeats itself too often through aliases; at most 32 levels and 20000 values"}},
	{"deep nesting", "name: " + strings.Repeat("[", 40) + strings.Repeat("]", 40) + "\n",
		[]string{"1:39: the file is nested too deeply or repeats itself too often through aliases; at most 32 levels and 20000 values"}},
	{"merge key", "name: p\nkind: phases\nphases:\n- &a {id: a, role: planner, outputs: [a.md]}\n- {<<: *a, id: b}\n",
		[]string{"5:3: phases[1]: nobody does this phase; give it a role, a team or an act",
			"5:3: phases[1]: nothing shows that this phase is done; give it outputs, or checks under done",
			"5:4: phases[1]: merge keys are not supported; write the keys out"}},

	{"missing keys", "description: nothing else\n", []string{
		"1:1: kind is missing; this version knows: phases, rules, manager, waves", "1:1: name is missing"}},
	{"no phases", "name: p\nkind: phases\n", []string{"1:1: phases is missing; list at least one phase"}},
	{"keys of another kind", "name: p\nkind: phases\nsteps: {role: developer}\nphases:\n- {id: a, role: planner, outputs: [a.md]}\n", []string{
		"3:1: steps: a playbook of kind phases has no steps; that is for kind: rules or manager"}},
	{"unknown kind", "name: p\nkind: dag\nsetup: true\n", []string{
		`2:7: kind: unknown kind "dag"; this version knows: phases, rules, manager, waves`, `3:8: setup: expected text, got the boolean true; quote it: "true"`}},
	{"misspelt kind", "name: p\nkind: phase\nphases:\n- {id: a, role: planer, outputs: [a.md]}\n", []string{
		`2:7: kind: unknown kind "phase"; did you mean "phases"?`, `4:17: phases[0].role: unknown role "planer"; did you mean "planner"?`}},
	{"misspelt kind, keys of another", "name: p\nkind: phase\nsteps: {role: developer}\nphases:\n- {id: a, role: planner, outputs: [a.md]}\n", []string{
		`2:7: kind: unknown kind "phase"; did you mean "phases"?`, "3:1: steps: a playbook of kind phases has no steps; that is for kind: rules or manager"}},
	{"keys say more than a misspelt kind", "name: p\nkind: ruls\nphases:\n- {id: a, role: planner, outputs: [a.md]}\n", []string{
		`2:7: kind: unknown kind "ruls"; did you mean "rules"?`}},
	{"kind of another tool", "name: p\nkind: workflow\nphases:\n- {id: a, role: planer, outputs: [a.md]}\n", []string{
		`2:7: kind: unknown kind "workflow"; this version knows: phases, rules, manager, waves`, `4:17: phases[0].role: unknown role "planer"; did you mean "planner"?`}},
	{"bad name", "name: My Playbook\nkind: phases\nphases: []\n", []string{
		"1:7: name: is not a valid name; use small letters, digits and single hyphens, at most 40 characters",
		"3:9: phases: the list is empty; list at least one phase"}},
	{"unknown key", head + "- id: a\n  rol: planner\n  outputs: [a.md]\n", []string{
		"4:3: phases[0]: nobody does this phase; give it a role, a team or an act",
		`5:3: phases[0].rol: unknown key; did you mean "role"?`}},
	{"duplicate key", head + "- id: a\n  role: planner\n  outputs: [a.md]\n  role: developer\n", []string{
		"7:3: phases[0].role: is given twice, first in line 5"}},
	{"empty value", head + "- id: a\n  role:\n  outputs: [a.md]\n", []string{
		"4:3: phases[0]: nobody does this phase; give it a role, a team or an act",
		"5:8: phases[0].role: is empty; give it a value or remove the key"}},
	{"wrong types", "name: 42\nkind: phases\nsetup: true\ncache: x\nphases:\n- id: a\n  role: [planner]\n  outputs: {a: b}\n  skip: yes\n  attempts: three\n  timeout: 30\n", []string{
		`1:7: name: expected text, got the number 42; quote it: "42"`,
		`3:8: setup: expected text, got the boolean true; quote it: "true"`,
		`4:8: cache: expected a list, got the text "x"`,
		`6:3: phases[0]: nothing shows that this phase is done; give it outputs, or checks under done`,
		`7:9: phases[0].role: expected text, got a list`,
		`8:12: phases[0].outputs: expected text, got a map`,
		`9:9: phases[0].skip: expected true or false, got the text "yes"`,
		`10:13: phases[0].attempts: expected a whole number, got the text "three"`,
		`11:12: phases[0].timeout: 30 has no unit; write 90s, 30m or 2h`}},
	{"bad durations", head + "- {id: a, role: planner, outputs: [a.md], timeout: soon}\n- {id: b, role: planner, outputs: [b.md], timeout: 0s}\n- {id: c, role: planner, outputs: [c.md], attempts: 0}\n", []string{
		`4:52: phases[0].timeout: "soon" is not a duration; write 90s, 30m or 2h`,
		"5:52: phases[1].timeout: 0s is not between 1s and 168h",
		"6:53: phases[2].attempts: 0 is not a whole number between 1 and 20"}},
	{"ids", head + "- {id: A B, role: planner, outputs: [a.md]}\n- {id: b, role: planner, outputs: [b.md]}\n- {id: b, role: planner, outputs: [c.md]}\n", []string{
		`4:8: phases[0].id: "A B" is not a valid id; use small letters, digits and single hyphens, at most 40 characters`,
		`6:8: phases[2].id: the phase id "b" is used twice; give each phase an id of its own`}},

	{"unknown role", head + "- {id: a, role: wizard, outputs: [a.md]}\n- {id: b, role: planer, outputs: [b.md]}\n", []string{
		`4:17: phases[0].role: unknown role "wizard"; known: angular-frontend-developer, api-architect, architect, architect-planner, architect-reviewer, builder, code-reviewer, developer, examiner, planner, postgresql-architect, project-manager, researcher, security-auditor, spring-boot-developer, test-engineer, tester, ui-designer, wave-planner, writer`,
		`5:17: phases[1].role: unknown role "planer"; did you mean "planner"?`}},
	{"unknown agent", "name: p\nkind: phases\nagents:\n  mine: {use: command, run: [x]}\nroles:\n  planner: {agent: mien}\ndefaults: {agent: nobody}\nphases:\n- {id: a, role: planner, outputs: [a.md]}\n- {id: b, role: developer, outputs: [b.md]}\n", []string{
		`6:20: roles.planner.agent: unknown agent "mien"; did you mean "mine"?`,
		`7:19: defaults.agent: unknown agent "nobody"; known: claude, mine`}},
	{"bad agents", "name: p\nkind: phases\nagents:\n  a: {use: codex}\n  b: {use: clade}\n  c: {use: command}\n  d: {use: command, run: bash agent.sh}\n  e: {use: claude, run: [x], scenario: s.yaml}\n  f: {use: scripted}\n  g: {run: [x]}\n  h: {use: claude, env: {STELLWERK_IN: x}, secrets: [GITHUB_TOKEN, a-b]}\n  j: {use: claude, options: {base_url: x}, env: {ANTHROPIC_BASE_URL: x}}\n  i: {use: scripted, scenario: ../s.yaml}\nphases:\n- {id: a, role: planner, outputs: [a.md]}\n", []string{
		"4:12: agents.a.use: the agent codex is not supported in this version; known: claude, command, scripted",
		`5:12: agents.b.use: unknown agent program "clade"; did you mean "claude"?`,
		`6:6: agents.c: run is missing; name the program and its arguments: ["bash", "agent.sh"]`,
		`7:26: agents.d.run: expected a list; write the program and its arguments as a list: ["bash", "agent.sh"]`,
		"8:20: agents.e.run: only an agent with use: command has run",
		"8:30: agents.e.scenario: only an agent with use: scripted has a scenario",
		"9:6: agents.f: scenario is missing; name the scenario file",
		"10:6: agents.g: use is missing; known: claude, command, scripted",
		"10:7: agents.g.run: only an agent with use: command has run",
		`11:26: agents.h.env.STELLWERK_IN: "STELLWERK_IN" belongs to Stellwerk and cannot be set`,
		"11:54: agents.h.secrets[0]: GITHUB_TOKEN gives access to the remote and is never passed to an agent; Stellwerk itself publishes, with a person's approval",
		`11:68: agents.h.secrets[1]: "a-b" is not the name of an environment variable`,
		`12:30: agents.j.options.base_url: base_url can be set only by you, on your machine, not by a playbook; remove it`,
		`12:50: agents.j.env.ANTHROPIC_BASE_URL: "ANTHROPIC_BASE_URL" would send a credential to another address; set it in your own environment`,
		`13:32: agents.i.scenario: "../s.yaml" leaves the project; name a path inside the project, relative to its root`}},
	{"missing capability", head + "- {id: a, role: planner, needs: [pln], outputs: [a.md]}\n", []string{
		`4:34: phases[0].needs[0]: the role "planner" does not have the capability "pln"; did you mean "plan"?`}},

	{"who does it", head + "- {id: a, outputs: [a.md]}\n- {id: b, role: planner, act: pull-request}\n- {id: c, act: merge}\n- {id: d, act: pull-request, outputs: [d.md], prompt: x}\n- {id: e, role: planner, outputs: [e.md], base: main}\n", []string{
		"4:3: phases[0]: nobody does this phase; give it a role, a team or an act",
		"5:26: phases[1].act: a phase has one of role, team and act, not role and act",
		`6:16: phases[2].act: "merge" is not known here; known: pull-request`,
		"7:30: phases[3].outputs: a phase with an act has no outputs; Stellwerk does it itself, without an agent",
		"7:47: phases[3].prompt: a phase with an act has no prompt; Stellwerk does it itself, without an agent",
		"8:43: phases[4].base: only a phase with act: pull-request has a base"}},
	{"team", head + "- id: a\n  team: {spokes: [developer, planner, developer], hub: planner}\n  outputs: [a.md]\n  writes: code\n- {id: b, team: {hub: planner}, outputs: [b.md]}\n", []string{
		`5:30: phases[0].team.spokes[1]: the hub "planner" cannot be one of its own spokes`,
		`5:39: phases[0].team.spokes[2]: the spoke "developer" is listed twice`,
		"7:11: phases[0].writes: a team writes artifacts only; let a later phase write the code",
		"8:17: phases[1].team: spokes is missing; list the roles that work in parallel"}},
	{"documents of a team", "name: p\nkind: phases\nroles: {hub: {}}\nphases:\n- {id: a, team: {spokes: [developer, hub], hub: planner}, outputs: [a-developer.md]}\n", []string{
		`5:38: phases[0].team.spokes[1]: a spoke cannot have the name "hub"; that is the name of a task that every team can have`,
		`5:59: phases[0].outputs: "a-developer.md" is what a spoke of the team hands to its hub; choose another name`}},
	{"spokes and fallback", "name: p\nkind: phases\nroles: {alone: {}}\nphases:\n- {id: a, team: {spokes: [developer], hub: planner, optional: {developer: ui_designer, alone: ui_designer, ui-desiner: ui_designer, ui-designer: always}, fallback: develper}, outputs: [a.md]}\n", []string{
		`5:64: phases[0].team.optional.developer: the spoke "developer" is listed twice`,
		`5:88: phases[0].team.optional.alone: a spoke cannot have the name "alone"; that is the name of a task that every team can have`,
		`5:108: phases[0].team.optional.ui-desiner: unknown role "ui-desiner"; did you mean "ui-designer"?`,
		`5:146: phases[0].team.optional.ui-designer: "always" is not known here; known: ui_designer`,
		`5:165: phases[0].team.fallback: unknown role "develper"; did you mean "developer"?`}},
	{"tiers", "name: p\nkind: phases\ntiers: {quick: haiku}\nroles: {planner: {tiers: {}}}\nphases:\n- {id: a, role: planner, outputs: [a.md]}\n", []string{
		"3:8: tiers: names no model; known: balanced, fast, strong",
		"3:9: tiers.quick: unknown key; known: balanced, fast, strong",
		"4:26: roles.planner.tiers: names no model; known: balanced, fast, strong"}},
	{"skippable", head + "- {id: a, role: planner, outputs: [plan.json, a.md], gate: approval, done: [{artifact: {name: plan.json, schema: {type: object}}}]}\n- {id: b, role: planner, skippable: true, outputs: [b.md]}\n- {id: c, role: planner, inputs: [b.md], outputs: [c.md]}\n- {id: d, act: pull-request, skippable: true}\n", []string{
		"4:70: phases[0].done: plan.json says which phases to skip and has a form of its own; remove its schema",
		`6:35: phases[2].inputs[0]: "b.md" is handed in by the phase "b", which a plan may leave out; make the input optional or remove skippable`,
		"7:41: phases[3].skippable: a plan cannot skip what Stellwerk does itself; remove skippable; a person can use `stellwerk skip`"}},
	{"verify first", head + "- {id: a, role: developer, verify_first: true, outputs: [a.md]}\n- {id: b, role: developer, verify_first: true, done: [{command: make}, {not: {changed: x}}]}\n- {id: c, role: developer, verify_first: true, done: {state: .a == 1}}\n- {id: d, role: developer, verify_first: true, done: {git: committed}}\n- {id: e, team: {spokes: [developer], hub: planner}, verify_first: true, outputs: [e.md]}\n- {id: f, act: pull-request, verify_first: true}\n", []string{
		"4:42: phases[0].verify_first: a phase with outputs cannot be done before somebody has handed them in; remove verify_first, or leave command and files checks only",
		"5:42: phases[1].verify_first: only command and files checks can hold before anybody has worked; remove verify_first, or leave command and files checks only",
		"6:42: phases[2].verify_first: only command and files checks can hold before anybody has worked; remove verify_first, or leave command and files checks only",
		"7:42: phases[3].verify_first: only command and files checks can hold before anybody has worked; remove verify_first, or leave command and files checks only",
		"8:68: phases[4].verify_first: a team hands in documents, which do not exist before it has worked; remove verify_first",
		"9:44: phases[5].verify_first: what Stellwerk does itself is always verified first; remove verify_first"}},
	{"files of a phase", head + "- {id: a, role: planner, outputs: [a.md]}\n- {id: b, role: developer, done: {changed: x}}\n- {id: c, role: developer, inputs: [{files: a}, {files: d}, {files: c}, {files: b, optional: true}], done: {changed: y}}\n", []string{
		`6:45: phases[2].inputs[0].files: the phase "a" has no changed check, so it is not known which files it changes; add one, or remove this input`,
		`6:57: phases[2].inputs[1].files: there is no earlier phase "d"; did you mean "b"?`,
		`6:69: phases[2].inputs[2].files: there is no earlier phase "c"; did you mean "b"?`,
		`6:84: phases[2].inputs[3].optional: files names an earlier phase, whose changed files this one is told; they are never required; remove optional`}},
	{"another coverage", head + "- {id: a, role: developer, done: [{command: \"coverage=$(make cover); test ${coverage} -gt 80\"}]}\n", []string{
		"4:45: phases[0].done[0].command: the command sets a variable coverage, but ${coverage} stands for the run's own target; give the variable another name"}},
	{"no branch", head + "- {id: a, role: planner, outputs: [a.md]}\n- {id: b, act: pull-request, base: refs/heads/main}\n", []string{
		`5:36: phases[1].base: "refs/heads/main" is not the name of a branch; write, for example, main`}},
	{"publishing without approval", head + "- {id: a, role: planner, outputs: [a.md]}\n- {id: b, act: pull-request, gate: auto}\n", []string{
		"5:36: phases[1].gate: publishing needs a person's approval, so a pull request always has gate: approval; remove gate, or start the run with --yes, which is recorded as policy and not as a person"}},

	{"missing input", head + "- {id: a, role: planner, outputs: [plan.md]}\n- {id: b, role: developer, inputs: [pln.md, spec.txt], done: [command: x]}\n", []string{
		`5:37: phases[1].inputs[0]: no phase hands in "pln.md"; did you mean "plan.md"?`,
		`5:45: phases[1].inputs[1]: no phase hands in "spec.txt"; known: plan.md`}},
	{"input of a later phase", head + "- {id: a, role: planner, inputs: [b.md], outputs: [a.md]}\n- {id: b, role: developer, outputs: [b.md]}\n", []string{
		`4:35: phases[0].inputs[0]: "b.md" comes from the later phase "b"; phases run in the order of the file; move one of them`}},
	{"cycle", head + "- {id: a, role: planner, inputs: [c.md], outputs: [a.md]}\n- {id: b, role: planner, inputs: [a.md], outputs: [b.md]}\n- {id: c, role: planner, inputs: [b.md], outputs: [c.md]}\n", []string{
		`4:35: phases[0].inputs[0]: "c.md" comes from the later phase "c", and that phase waits for this one: a cycle; remove one of the inputs`}},
	{"own output as input", head + "- {id: a, role: planner, inputs: [a.md], outputs: [a.md]}\n", []string{
		`4:35: phases[0].inputs[0]: "a.md" is handed in by this phase itself; an input comes from an earlier phase`}},
	{"input of a skipped phase", head + "- {id: a, role: planner, skip: true, outputs: [a.md]}\n- {id: b, role: planner, inputs: [a.md], outputs: [b.md]}\n", []string{
		`5:35: phases[1].inputs[0]: "a.md" is handed in only by the phase "a", which is always skipped; make the input optional or remove skip`}},
	{"artifact names", head + "- id: a\n  role: planner\n  inputs: [{nam: x}, {name: x.md, optional: 1}]\n  outputs: [../a.md, /b.md, report.json, A.md, a.md]\n  done:\n  - artifact: other.md\n", []string{
		`6:12: phases[0].inputs[0]: name is missing`,
		`6:13: phases[0].inputs[0].nam: unknown key; did you mean "name"?`,
		`6:29: phases[0].inputs[1].name: no phase hands in "x.md"; did you mean "A.md"?`,
		`6:45: phases[0].inputs[1].optional: expected true or false, got the number 1`,
		`7:13: phases[0].outputs[0]: "../a.md" is not a valid artifact name; use a plain file name such as plan.md, without folders`,
		`7:22: phases[0].outputs[1]: "/b.md" is not a valid artifact name; use a plain file name such as plan.md, without folders`,
		`7:29: phases[0].outputs[2]: report.json is the agent's own report and cannot be an artifact; choose another name`,
		`7:48: phases[0].outputs[4]: the output "a.md" is listed twice; names that differ only in case are the same file on some machines`,
		`9:15: phases[0].done[0].artifact: the artifact "other.md" is not among the phase's outputs; add it to outputs`}},

	{"bad checks", head + "- id: a\n  role: developer\n  outputs: [a.json]\n  done:\n  - changed: /etc/passwd\n  - changed: [\"a/../../b\", \"{..,x}/y\", \"[a\", \"!x\", ./x]\n  - files: \"~/x\"\n  - state: tests.passed == true\n  - state: .a ==\n  - git: merged\n  - git: {message: \"(\"}\n  - git: {}\n  - command: {timeout: 1m}\n  - artifact: {name: a.json, schema: {type: objekt}}\n  - artifact: {name: a.json, schema: {$ref: \"https://example.com/x\"}}\n  - command: x\n    timeout: 5m\n  - {files: a, changed: b}\n  - {}\n  - any: []\n  - not: [{files: a}]\n  - chnged: x\n", []string{
		`8:14: phases[0].done[0].changed: the glob "/etc/passwd" is absolute; name files inside the project, relative to its root`,
		`9:15: phases[0].done[1].changed[0]: the glob "a/../../b" leaves the project; name files inside the project, relative to its root`,
		`9:28: phases[0].done[1].changed[1]: the glob "{..,x}/y" leaves the project; name files inside the project, relative to its root`,
		`9:40: phases[0].done[1].changed[2]: the glob "[a" is malformed; every [ and { needs its closing bracket`,
		`9:46: phases[0].done[1].changed[3]: the glob "!x" is negated; use a check of the kind not`,
		`9:52: phases[0].done[1].changed[4]: the glob "./x" begins with ./; leave that out`,
		`10:12: phases[0].done[2].files: the glob "~/x" is absolute; name files inside the project, relative to its root`,
		`11:12: phases[0].done[3].state: the jq expression "tests.passed == true" is not valid: function not defined: tests/0; a value is named with a leading dot: .tests.passed == true`,
		`12:12: phases[0].done[4].state: the jq expression ".a ==" is not valid: unexpected EOF; a value is named with a leading dot: .tests.passed == true`,
		`13:10: phases[0].done[5].git: "merged" is not known here; known: committed, linear`,
		"14:20: phases[0].done[6].git.message: the regular expression \"(\" is not valid: error parsing regexp: missing closing ): `(`",
		`15:10: phases[0].done[7].git: the check asks for nothing; known: commits, linear, max_files, max_lines, message`,
		`16:14: phases[0].done[8].command: run is missing`,
		`17:38: phases[0].done[9].artifact.schema: is not a valid JSON Schema: *`,
		`18:38: phases[0].done[10].artifact.schema: is not a valid JSON Schema: *is another document and is not loaded`,
		`20:5: phases[0].done[11].timeout: unknown key; known: all, any, artifact, changed, command, files, git, not, state`,
		`21:5: phases[0].done[12]: a check has one key, this one has 2 keys; write each check as an item of its own`,
		`22:5: phases[0].done[13]: a check is missing; known: all, any, artifact, changed, command, files, git, not, state`,
		`23:10: phases[0].done[14].any: the list is empty`,
		`24:10: phases[0].done[15].not: expected a map, got a list`,
		`25:5: phases[0].done[16].chnged: unknown key; did you mean "changed"?`}},
	{"check beyond the limits", head + "- {id: a, role: planner, done: [{command: {run: x, timeout: 10h}}, {changed: \"{a,b}{a,b}{a,b}{a,b}{a,b}\"}]}\n", []string{
		"4:61: phases[0].done[0].command.timeout: 10h is not between 1s and 6h",
		`4:78: phases[0].done[1].changed: the pattern "{a,b}{a,b}{a,b}{a,b}{a,b}" of the changed check has too many alternatives: split it into several`}},
	{"checks of deciders", head + "- {id: a, role: planner, outputs: [worker_output.json], done: [{output: worker_output.json}, {decision: x}]}\n", []string{
		"4:65: phases[0].done[0].output: unknown key; known: all, any, artifact, changed, command, files, git, not, state",
		"4:95: phases[0].done[1].decision: unknown key; known: all, any, artifact, changed, command, files, git, not, state",
	}},
	{"checks within checks", head + "- {id: a, role: planner, done: " + strings.Repeat("{all: [", 9) + "{files: a}" + strings.Repeat("]}", 9) + "}\n", []string{
		"4:32: phases[0].done: the check is nested more than 8 deep"}},
	{"done is text", head + "- {id: a, role: planner, done: go test}\n", []string{
		"4:32: phases[0].done: expected a list of checks, got text; write, for example: done: [{command: go test ./...}]"}},
	{"nothing to show", head + "- {id: a, role: planner}\n", []string{
		"4:3: phases[0]: nothing shows that this phase is done; give it outputs, or checks under done"}},
	{"artifacts that change code", head + "- {id: a, role: planner, outputs: [a.md], writes: artifacts, done: [changed: x]}\n- {id: b, team: {spokes: [developer], hub: planner}, outputs: [b.md], done: [git: linear]}\n", []string{
		"4:62: phases[0].done: the phase writes artifacts and changes no code, so the checks changed and git could never pass; let it write code, or leave them out",
		"5:71: phases[1].done: the phase writes artifacts and changes no code, so the checks changed and git could never pass; let it write code, or leave them out"}},

	{"rollback", head + "- {id: a, role: developer, done: [command: x]}\n- {id: s, role: developer, skip: true, done: [command: x]}\n- id: r\n  role: code-reviewer\n  outputs: [review.json]\n  rollback: {types: {x: r, y: s, z: nope}, paths: {\"/a\": a}, default: b}\n- {id: b, role: developer, done: [command: x]}\n", []string{
		`9:25: phases[2].rollback.types.x: the phase "r" is not earlier than this one; earlier phases: a, s`,
		`9:31: phases[2].rollback.types.y: the phase "s" is always skipped; name a phase that runs`,
		`9:37: phases[2].rollback.types.z: unknown phase "nope"; known: a, s`,
		`9:52: phases[2].rollback.paths["/a"]: the glob "/a" is absolute; name files inside the project, relative to its root`,
		`9:71: phases[2].rollback.default: the phase "b" is not earlier than this one; earlier phases: a, s`}},
	{"findings without a review", head + "- {id: a, role: planner, outputs: [a.md], findings: auto}\n- {id: b, role: planner, outputs: [review.json], findings_rounds: 2}\n", []string{
		"4:53: phases[0].findings: findings are read from review.json, which is not among the phase's outputs; add it to outputs",
		"5:67: phases[1].findings_rounds: rounds are counted only with findings: auto"}},
	{"cache", "name: p\nkind: phases\ncache:\n- {key: [/x], path: ../y}\n- {path: .git}\nphases:\n- {id: a, role: planner, outputs: [a.md]}\n", []string{
		`4:10: cache[0].key[0]: "/x" is absolute; name a path inside the project, relative to its root`,
		`4:21: cache[0].path: "../y" leaves the project; name a path inside the project, relative to its root`,
		`5:3: cache[1]: key is missing; name the files whose change empties the cache`,
		`5:10: cache[1].path: ".git" cannot be used here; name a file or folder of the project`}},
}

// bomb doubles itself with every line.
func bomb() string {
	text := "name: p\na0: &a0 [x, x, x, x, x, x, x, x]\n"
	for i := 1; i < 12; i++ {
		before := string(rune('a'+i-1)) + "0"
		name := string(rune('a'+i)) + "0"
		text += name + ": &" + name + " [" + strings.TrimSuffix(strings.Repeat("*"+before+", ", 8), ", ") + "]\n"
	}
	return text
}

func TestBadPlaybooks(t *testing.T) {
	for _, test := range allBad() {
		t.Run(test.name, func(t *testing.T) {
			p, _, err := Parse("p.yaml", []byte(test.text), options())
			if err == nil {
				t.Fatalf("accepted: %+v", p)
			}
			got := strings.Split(err.Error(), "\n")
			for i, want := range test.want {
				if i >= len(got) || !matches(got[i], "p.yaml:"+want) {
					t.Fatalf("problem %d\n%s\nwant:\n%s", i, err, strings.Join(test.want, "\n"))
				}
			}
			if len(got) > len(test.want) {
				t.Errorf("more than expected:\n%s", strings.Join(got[len(test.want):], "\n"))
			}
		})
	}
}

// matches compares with a pattern in which * stands for the words of a library.
func matches(got, want string) bool {
	before, after, open := strings.Cut(want, "JSON Schema: *")
	if !open {
		return got == want
	}
	return strings.HasPrefix(got, before) && strings.HasSuffix(got, after)
}

func TestTooLarge(t *testing.T) {
	_, _, err := Parse("p.yaml", []byte("# "+strings.Repeat("x", 256<<10)), options())
	if err == nil || !strings.Contains(err.Error(), "p.yaml:1:1: the file has 262146 bytes; at most 262144 are read") {
		t.Errorf("error %v", err)
	}
}
