package yard

import (
	"context"
	"fmt"
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

// Fetch mirrors the branches of a repository into UpstreamHeads. Branches gone from the remote
// go there too; nothing outside UpstreamHeads changes.
func (y *Yard) Fetch(ctx context.Context, address string) error {
	r, err := parseRemote(address)
	if err != nil {
		return err
	}
	command := []string{"fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules", "--refmap=", "--update-shallow", "--prune"}
	command = append(command, r.servant("upload-pack")...)
	command = append(command, "--", r.address, "+refs/heads/*:"+UpstreamHeads+"*")
	if _, err := y.git().withConfig(oldMistakes()...).run(ctx, command...); err != nil {
		return fmt.Errorf("fetch from %s: %w", redactURLs(address), classifyRemote(err))
	}
	return nil
}
