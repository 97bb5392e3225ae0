package crash

// projectStory is a project of three steps, the third after the others. The
// first two are done at the same time and write into one file, so that whichever
// is merged last has a conflict, which an agent puts right. The third is
// reviewed, and changed for it.
func projectStory(ledger string) story {
	return story{
		name:     "project",
		project:  true,
		parallel: 1, // a repository is driven by one run at a time
		playbook: `name: project
kind: rules
agents: {s: {use: scripted, scenario: scenario.yaml` + ledgerEnv(ledger) + `}}
defaults: {agent: s}
plan: {role: planner, gate: approval}
steps:
  role: developer
  reviewer: code-reviewer
  review: never
  done:
    - command: sleep 0.1; ! grep -qs '<<<<<<<' shared.txt
publish: {push: ask}
`,
		scenario: `attempts:
  - role: planner
    do:
` + begin + `
      - write:
          path: out:plan.md
          content: |
            # Plan

            ## Steps

            ### [ ] 1. The first
            After: nothing

            ### [ ] 2. The second
            After: nothing

            ### [ ] 3. The third
            After: 1, 2
            Review: always

            ## Notes

` + add("$STELLWERK_OUT/plan.md") + end("out:plan.md") + `
  - task: step-1/code
    do:
` + begin + add("shared.txt") + sign("first.txt") + end("code:shared.txt code:first.txt") + `
  - task: step-2/code
    do:
` + begin + `
      - sleep: 150ms
` + add("shared.txt") + sign("second.txt") + `
      - commit: the second
` + end("code:shared.txt code:second.txt") + `
  - task: step-1/resolve
    do: &resolve
` + begin + `
      - try: git merge -q "$(grep -o 'git merge [0-9a-f]*' "$STELLWERK_PROMPT" | head -1 | cut -d' ' -f3)"
      - run: sed -i '/^[<=>]\{7\}/d' shared.txt
` + sign("resolved.txt") + `
      - commit: keep both
` + end("code:resolved.txt") + `
  - task: step-2/resolve
    do: *resolve
  - task: step-3/code
    do:
` + begin + `
      - run: test -f first.txt && test -f second.txt && test -f resolved.txt
` + sign("third.txt") + end("code:third.txt") + `
  - task: step-3/review
    do:
` + begin + sign("$STELLWERK_OUT/notes.md") + `
      - write: {path: "out:review.json", content: '{"status": "REQUEST_CHANGES", "findings": [{"file": "third.txt", "issue": "It is too short."}]}'}
` + end("out:notes.md") + `
  - task: step-3/fix
    do:
` + begin + sign("fixed.txt") + end("code:fixed.txt"),
		requested: 7,
		published: map[string]string{
			"first.txt": "step-1.r1.code.a1", "fixed.txt": "step-3.r1.fix.a1", "second.txt": "step-2.r1.code.a1",
			"third.txt": "step-3.r1.code.a1", "shared.txt": "step-1.r1.code.a1 step-2.r1.code.a1",
		},
	}
}
