package yard

import (
	"context"
	"fmt"
	"slices"
)

// oldMistakes are flaws that real histories carry from old git programs. They are harmless, so a
// person's repository may have them; what an attempt hands in may not.
func oldMistakes() []string {
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

// Fetch mirrors the branches of a repository into UpstreamHeads, also where they were rewritten. Branches gone from the remote
// go there too; nothing outside UpstreamHeads changes, and commits that no branch has any more stay in the yard.
// So whoever built on a commit of a branch asks IsAncestor whether the branch as it is now still contains it, and
// Resolve, with ErrNotFound, whether it is there at all. Errors: ErrAuth, ErrUnreachable.
func (y *Yard) Fetch(ctx context.Context, address string) error {
	return y.fetch(ctx, address, "+refs/heads/*:"+UpstreamHeads+"*", "--prune")
}

// fetch runs one fetch at a time: of two that find the same branch moved, git lets the later one fail.
func (y *Yard) fetch(ctx context.Context, address, refs string, options ...string) error {
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
	command := []string{"fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules", "--refmap=", "--update-shallow"}
	command = slices.Concat(command, options, r.servant("upload-pack"), []string{"--", r.address, refs})
	if _, err := g.withConfig(oldMistakes()...).run(ctx, command...); err != nil {
		return fmt.Errorf("fetch from %s: %w", redactURLs(address), classifyRemote(err))
	}
	return nil
}
