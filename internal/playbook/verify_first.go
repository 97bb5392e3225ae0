package playbook

import (
	"github.com/stellwerk-dev/stellwerk/internal/config/yamlfile"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// checkVerifyFirst allows verify_first only if all checks look at a tree. What an agent must change or hand in cannot be
// there before it has worked; if it seems to be, it is a leftover.
func (d *draft) checkVerifyFirst(o yamlfile.Object) {
	const hint = "remove verify_first, or leave command and files checks only"
	switch v, _ := o.Get("verify_first"); {
	case !d.VerifyFirst:
	case d.Act != "":
		v.Fail("what Stellwerk does itself is always verified first", "remove verify_first")
	case d.Team != nil:
		v.Fail("a team hands in documents, which do not exist before it has worked", "remove verify_first")
	case len(d.Outputs) > 0:
		v.Fail("a phase with outputs cannot be done before somebody has handed them in", hint)
	case !core.TreeOnly(d.Done):
		v.Fail("only command and files checks can hold before anybody has worked", hint)
	}
}
