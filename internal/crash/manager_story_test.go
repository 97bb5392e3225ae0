package crash

import "strings"

// hands are what the agents of a manager's story call their tools with. Each
// call is told apart by a tag, which its text carries, and is entered into the
// ledger twice: before it is made, and when it was answered. A refusal ends the
// play: in this story nobody asks for what he cannot have.
const hands = `
n=0
note() { echo "$1 $STELLWERK_RUN $STELLWERK_ATTEMPT $2" >> "$LEDGER"; }
section() { sed -n "/^## $1/,/^## /p" "$STELLWERK_PROMPT"; }
deeds=$(section 'What this turn already did')
fresh() {
  n=$((n + 1))
  name=$1 tag=$STELLWERK_ATTEMPT-$n
  case $deeds in *": $name"*) return 1 ;; esac
}
call() {
  note call "$tag $1 $name"
  if ! answer=$("$@" 2>&1); then
    note refused "$tag $(echo $answer)"
    exit 1
  fi
  note did "$tag $(echo $answer)"
  case $tag in manager.r1.a1-3 | manager.r2.a1-1) exit 0 ;; esac
}
say() { if fresh "$1"; then call send-message "$1 ($tag)"; fi; }
`

// conduct is a manager's turn. It goes by what it was woken for, whatever comes
// together, and leaves out what an earlier try of the turn has done.
const conduct = hands + `
delegate() { if fresh "$1"; then shift && call delegate-to-red "$@" --title "$name ($tag)"; fi; }
plan() { if fresh "$1"; then call update-plan "$1 ($tag)"; fi; }
ask() { if fresh "$1"; then call request-clarification "$@"; fi; }
marks= unpublished=
begin() {
  if ! fresh 'the plan' && [ ! -f .ai/plan.md ]; then
    note strange 'the plan of the earlier try is not there' && exit 1
  fi
  if [ ! -f .ai/plan.md ]; then
    printf '# Plan\n\n## Steps\n\n### [ ] 1. The first\n\nIt is merged at once.\n\n### [ ] 2. The second\n\nIt is reviewed.\n' > .ai/plan.md
  fi
  plan 'the plan'
  delegate first 'Write first.txt.'
  delegate second 'Write second.txt.' api
  say begun
  ask 'Which colour is it to have?'
}
change() {
  if ! grep -q 'The third' .ai/plan.md; then
    printf '\n### [ ] 3. The third\n\nSomebody wants it.\n' >> .ai/plan.md
  fi
  plan 'a change'
  delegate third 'Write third.txt.'
}
ended() {
  id=${1#*$tick} && id=${id%%$tick*} && note saw "$id"
  case $1 in
  *'(review) on '*'**changes_requested**'*) delegate fix 'Write fixed.txt as well.' api --kind fix ;;
  *'(fix) on '*'**done**'*) delegate merge --kind merge --branch api ;;
  *'(merge) on '*'**done**'*) marks="$marks 2" ;;
  *'(pr)'*'**done**'*) say "published $id" ;;
  *'(pr)'*'**failed**'*) unpublished=yes ;;
  *'-api-'*'**done**'*) delegate review 'Look at it.' api --kind review ;;
  *'**done**'*) if grep -q 'The third' .ai/plan.md; then marks="$marks 3"; else marks="$marks 1"; fi ;;
  *) note strange "$1" && exit 1 ;;
  esac
}
tick=$(printf '\140')
section 'Why you were woken' | grep '^- ' > "$STELLWERK_OUT/woken"
while IFS= read -r line; do
  case $line in
  '- The project begins'*) begin ;;
  '- A person wrote: '*) say "heard ${line#*wrote: }" ;;
  *' was answered: blue'*) say 'blue it is' && ask 'How loud is it to be?' --default softly --after 200ms ;;
  *' was answered: softly'*) say 'softly it is' ;;
  *' wants changes: '*) change ;;
  '- Work '*) ended "$line" ;;
  *) note strange "$line" && exit 1 ;;
  esac
done < "$STELLWERK_OUT/woken"
if [ -n "$marks" ]; then
  for mark in $marks; do sed -i "s/\[ \] $mark/[x] $mark/" .ai/plan.md; done
  plan "marked$marks"
fi
if [ -n "$marks$unpublished" ] && ! grep -q '\[ \]' .ai/plan.md; then
  delegate publish --kind pr
fi
`

// managerStory is a project that a manager conducts: one piece of work that is
// merged at once, beside one that is reviewed, put right and merged on the
// manager's word; two questions, of which a person answers one and
// nobody the other; what a person says in between; the pull request; and a
// change that is asked for then. Two of its turns break off in the middle.
func managerStory(ledger string) story {
	work := hands + `
file=$(grep -o 'Write [a-z]*\.txt' "$STELLWERK_PROMPT" | head -n 1 | cut -d' ' -f2)
say "at $file"
echo "$STELLWERK_RUN $STELLWERK_ATTEMPT" > "$file"
sleep 0.1
note end "code:$file"
`
	stumble := begin + shell(conduct) + end("") + `
      - crash: KILL
`
	return story{
		name:     "manager",
		manager:  true,
		parallel: 1, // a repository is driven by one run at a time
		playbook: `name: manager
kind: manager
agents: {s: {use: scripted, scenario: scenario.yaml` + ledgerEnv(ledger) + `}}
defaults: {agent: s}
manager: {role: project-manager}
steps:
  role: developer
  reviewer: code-reviewer
  done:
    - command: sleep 0.1; ! grep -qs '<<<<<<<' *.txt
publish: {push: ask}
`,
		scenario: `attempts:
  - role: project-manager
    round: 1
    attempt: 1
    do:
` + stumble + `
  - role: project-manager
    round: 2
    attempt: 1
    do:
` + stumble + `
  - role: project-manager
    do:
` + begin + shell(conduct) + end("") + `
  - role: developer
    do:
` + begin + shell(work) + `
  - role: code-reviewer
    do:
` + begin + sign("$STELLWERK_OUT/notes.md") + `
      - write: {path: "out:review.json", content: '{"status": "REQUEST_CHANGES", "findings": [{"file": "second.txt", "issue": "It is too short."}]}'}
` + end("out:notes.md"),
	}
}

// shell is a step that runs a script.
func shell(script string) string {
	var b strings.Builder
	b.WriteString("      - run: |\n")
	for line := range strings.Lines(strings.TrimSpace(script) + "\n") {
		b.WriteString("          " + line)
	}
	return b.String()
}
