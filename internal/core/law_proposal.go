package core

import (
	"slices"
	"strings"
	"unicode"
)

func lawPropose(r *Run, b TaskProposed) error {
	p := b.Proposal
	switch {
	case !r.ByManager():
		return Errorf(CodeUnsupported, "run %s is driven by rules: its work is what the plan says", r.Alias)
	case b.Delegation != DelegationID(r.Managing.Delegated+1):
		return Errorf(CodeConflict, "%s is not the next delegation", b.Delegation)
	case strings.TrimSpace(p.Prompt) == "" && !p.Kind.EngineAct():
		return Errorf(CodeInvalid, "work needs a prompt that says what is to be done")
	case len(p.Prompt) > MaxPrompt:
		return Errorf(CodeInvalid, "the prompt has %d bytes, at most %d are possible", len(p.Prompt), MaxPrompt).
			WithHint("put the details into .ai/*.md and name the file")
	case len(p.Inputs)+len(p.Outputs)+len(p.Checks)+len(p.After) > MaxNames:
		return Errorf(CodeInvalid, "a delegation names at most %d inputs, outputs, checks and dependencies", MaxNames)
	}
	words := append(slices.Concat(p.Checks, p.After), p.Title, p.Line, p.Role, string(p.Kind))
	if strings.ContainsRune(p.Prompt+strings.Join(words, ""), 0) {
		return Errorf(CodeInvalid, "a delegation has a zero byte in it, which no program could be given")
	}
	for _, word := range words {
		if len(word) > MaxWord {
			return Errorf(CodeInvalid, "%q … is too long: titles, names and checks have at most %d bytes", word[:40], MaxWord).
				WithHint("put what it needs to say into the prompt, or a script into the repository")
		}
	}
	for _, name := range slices.Concat(p.Inputs, p.Outputs) {
		if !documentName(name) {
			return Errorf(CodeInvalid, "%q cannot be the name of a document", name).WithHint("use letters, digits, dots, dashes and underscores: analysis.md")
		}
		if ReservedName(name) {
			return Errorf(CodeInvalid, "%q is the name of a document that Stellwerk itself lays out or reads", name).WithHint("choose another")
		}
	}
	return nil
}

// ReservedName reports a name under which an attempt is given or hands in something
// else than a document of the project.
func ReservedName(name string) bool {
	switch name = strings.ToLower(name); name {
	case "goal.md", "hotfix.md", "evidence.md", "answers.md", "report.json":
		return true
	}
	return strings.HasSuffix(name, ".schema.json")
}

func documentName(name string) bool {
	for i, c := range []byte(name) {
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
		if !letter && (i == 0 || c != '.' && c != '-' && c != '_') {
			return false
		}
	}
	return name != "" && len(name) <= 80
}

// Bounds of a proposal.
const (
	MaxPrompt = 64 << 10
	MaxNames  = 64
	MaxWord   = 2 << 10
)

// EngineAct reports a kind of work that the engine does itself.
func (k TaskKind) EngineAct() bool {
	return k == KindMerge || k == KindPR || k == KindValidate || k == KindDiscard
}

// lawPlanProposed is law 6 with one change at a time, each made from what is there.
func lawPlanProposed(r *Run, b PlanProposed) error {
	switch {
	case r.Driving.Plan == nil:
		return Errorf(CodeConflict, "the plan is being read").WithHint("try again in a moment")
	case r.Managing.PlanProposed != nil || r.Driving.PlanWrite != nil:
		return Errorf(CodeConflict, "another change of the plan is being committed").WithHint("try again in a moment")
	case b.Base != r.Driving.Plan.Digest:
		return Errorf(CodeConflict, "the plan was changed since you read it").
			WithHint("look at it as it is now and put your change into that").Offer(Choice{Verb: VerbShowPlan})
	case len(b.Files) == 0:
		return Errorf(CodeInvalid, "nothing of the plan is different").WithHint("edit .ai/plan.md first")
	case strings.TrimSpace(b.Message) == "":
		return Errorf(CodeInvalid, "a change of the plan needs a message").WithHint(`update-plan "what was changed"`)
	case len(b.Message) > MaxWord || strings.ContainsRune(b.Message, 0):
		return Errorf(CodeInvalid, "the message of the change has %d bytes, at most %d are possible, and no zero byte", len(b.Message), MaxWord).
			WithHint("say in a line what was changed")
	}
	for _, f := range b.Files { // what git would not take would be tried for ever
		if !planDocument(f.Name) {
			return Errorf(CodeInvalid, "%.90q is none of the plan's documents", f.Name).
				WithHint("they are right in .ai and called with letters, digits, spaces, dots, dashes and underscores: context.md")
		}
	}
	return nil
}

// planDocument reports a name that a document right in .ai can have: one that git
// takes everywhere, and that shows as what it is.
func planDocument(file string) bool {
	name, markdown := strings.CutSuffix(file, ".md")
	odd := func(c rune) bool {
		return !unicode.In(c, unicode.L, unicode.M, unicode.N) && !strings.ContainsRune(" .-_", c)
	}
	return markdown && name != "" && len(name) <= 100 && !strings.HasPrefix(name, ".") && !strings.ContainsFunc(name, odd)
}
