package playbook

import (
	"github.com/stellwerk-dev/stellwerk/internal/config/yamlfile"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// checkVerifyFirst lets nobody be started only where the checks are of a tree: what somebody must change or hand in is not
// there before, and where it seems to be, it is a leftover.
func (d *draft) checkVerifyFirst(o yamlfile.Object) {
	const hint = "remove verify_first, or leave command and files checks only"
	switch v, _ := o.Get("verify_first"); {
	case !d.VerifyFirst:
	case d.Act != "":
		v.Fail("what Stellwerk does itself is always verified first", "remove verify_first")
	case d.Team != nil:
		v.Fail("a team hands in documents, which are not there before it has worked", "remove verify_first")
	case len(d.Outputs) > 0:
		v.Fail("a phase with outputs cannot be done before somebody has handed them in", hint)
	case !core.TreeOnly(d.Done):
		v.Fail("only command and files checks can hold before anybody has worked", hint)
	}
}
