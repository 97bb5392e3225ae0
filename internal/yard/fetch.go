package yard

import (
	"context"
	"fmt"
	"slices"
)

// toleratedFlaws are flaws that real histories carry from old git programs. They are harmless, so a
// person's repository may have them; what an attempt hands in may not.
func toleratedFlaws() []string {
	var settings []string
	for _, name := range []string{
		"badDate", "badDateOverflow", "badEmail", "badFilemode", "badTagName", "badTimezone", "missingEmail",
		"missingNameBeforeEmail", "missingSpaceBeforeDate", "missingSpaceBeforeEmail", "missingTaggerEntry",
		"multipleAuthors", "nulInCommit", "zeroPaddedDate", "zeroPaddedFilemode",
	} {
		settings = append(settings, "fetch.fsck."+name+"=ignore")
	}
	return settings
}

// Fetch mirrors the branches of a repository into UpstreamHeads, rewritten ones too, and removes branches there that are gone
// from the remote. Nothing outside UpstreamHeads changes, and commits that no branch has any more stay in the yard. So a
// caller that built on a commit of a branch asks IsAncestor whether the branch still contains it, and Resolve, with
// ErrNotFound, whether the branch still exists. Errors: ErrAuth, ErrUnreachable.
func (y *Yard) Fetch(ctx context.Context, address string) error {
	return y.fetch(ctx, address, "+refs/heads/*:"+UpstreamHeads+"*", "--prune")
}

// fetch fetches refs; see fetchRefs.
func (y *Yard) fetch(ctx context.Context, address, refs string, options ...string) error {
	return y.fetchRefs(ctx, address, []string{refs}, nil, options...)
}

// fetchRefs runs one fetch at a time: of two that find the same branch moved, git lets the later one fail. Settings are for
// the other end, if that is on this machine.
func (y *Yard) fetchRefs(ctx context.Context, address string, refs, settings []string, options ...string) error {
	r, g, err := y.contact(ctx, address, Credential{})
	if err != nil {
		return err
	}
	select {
	case y.fetching <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-y.fetching }()
	// Two candidates find the earlier version of a file. The usual ten cost three times the work where nothing is packed yet.
	settings = append(settings, "pack.window=2")
	command := []string{"fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules", "--refmap=", "--update-shallow"}
	command = slices.Concat(command, options, r.serviceOption("upload-pack", settings...), []string{"--", r.address}, refs)
	if _, err := g.withConfig(toleratedFlaws()...).run(ctx, command...); err != nil {
		return fmt.Errorf("fetch from %s: %w", redactURLs(address), classifyRemote(err))
	}
	return nil
}
