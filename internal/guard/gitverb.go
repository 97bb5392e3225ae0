package guard

import (
	"github.com/stellwerk-dev/stellwerk/internal/guard/shell"
)

// isGitVerb reports git's own verbs, and extensions that push nothing. Any other verb may be an alias.
func isGitVerb(verb string) bool {
	return shell.Listed("add am annotate apply archive backfill bisect blame branch bugreport bundle cat-file check-attr check-ignore "+
		"check-mailmap check-ref-format checkout checkout-index cherry cherry-pick clean clone column commit commit-graph "+
		"commit-tree config count-objects daemon describe diagnose diff diff-files diff-index diff-pairs diff-tree difftool "+
		"fast-export fast-import fetch fetch-pack filter-branch fmt-merge-msg for-each-ref for-each-repo format-patch fsck "+
		"fsmonitor--daemon gc get-tar-commit-id grep hash-object help history hook http-fetch imap-send index-pack init "+
		"init-db interpret-trailers last-modified log ls-files ls-remote ls-tree mailinfo mailsplit maintenance merge "+
		"merge-base merge-file merge-index merge-one-file merge-tree mergetool mktag mktree multi-pack-index mv name-rev "+
		"notes pack-objects pack-redundant pack-refs patch-id prune prune-packed pull quiltimport range-diff read-tree rebase "+
		"reflog refs remote repack replace replay repo request-pull rerere reset restore rev-list rev-parse revert rm "+
		"send-email sh-i18n sh-setup shortlog show show-branch show-index show-ref sparse-checkout stage stash status "+
		"stripspace submodule submodule--helper subtree svn switch symbolic-ref tag unpack-file unpack-objects update-index "+
		"update-ref update-server-info upload-archive upload-pack var verify-commit verify-pack verify-tag version whatchanged "+
		"worktree write-tree lfs p4 absorb filter-repo cliff crypt secret delta sizer", verb)
}

// isGitQuestion reports the verbs that change nothing, whatever repository they run in.
func isGitQuestion(verb string) bool {
	return shell.Listed("status log show diff rev-parse rev-list for-each-ref show-ref ls-tree ls-files ls-remote cat-file describe "+
		"shortlog blame grep merge-base name-rev count-objects var version help fsck verify-pack reflog cherry range-diff", verb)
}

// runsCode reports the verbs that take commands as arguments.
func runsCode(verb string) bool {
	return shell.Listed("bisect rebase submodule filter-branch difftool grep for-each-repo", verb)
}

// gitCode judges the commands among a verb's arguments.
func (j *judge) gitCode(r *shell.Run, p shell.Program, verb string, args []shell.Text) {
	j.gitTransport(r, p, verb, args)
	switch verb {
	case "bisect":
		if len(args) > 1 && args[0] == "run" {
			r.Start(p, args[1:])
		}
	case "rebase":
		for _, code := range shell.Scan(args, "xsXCS", "exec onto strategy strategy-option").Values("x exec") {
			r.Code(p, code, nil)
		}
	case "submodule":
		operands := shell.ScanFirst(args, "", "").Operands
		if len(operands) > 0 && operands[0] == "foreach" {
			if code := shell.ScanFirst(operands[1:], "", "").Operands; len(code) > 0 {
				r.Code(p, shell.Join(code), nil)
			}
		}
	case "filter-branch":
		found := shell.ScanFirst(args, "d", "setup env-filter tree-filter index-filter parent-filter msg-filter commit-filter tag-name-filter subdirectory-filter original state-branch")
		for _, code := range found.Values("setup env-filter tree-filter index-filter parent-filter msg-filter commit-filter tag-name-filter") {
			r.Code(p, code, nil)
		}
	case "difftool":
		for _, code := range shell.Scan(args, "xt", "extcmd tool").Values("x extcmd") {
			r.Code(p, code, nil)
		}
	case "grep":
		for _, code := range shell.Scan(args, "efABCmO", "").Values("O open-files-in-pager") {
			if code != "" {
				r.Code(p, code, nil)
			}
		}
	case "for-each-repo":
		if operands := shell.ScanFirst(args, "", "config").Operands; len(operands) > 0 {
			p.Args = operands
			j.git(r, p)
		}
	}
}
