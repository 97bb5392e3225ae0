package yard

import (
	"context"
	"fmt"
	"strings"
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
	return y.fetch(ctx, address, true, "+refs/heads/*:"+UpstreamHeads+"*")
}

// FetchRef mirrors one ref of a repository to a ref below refs/upstream/ and returns its commit.
func (y *Yard) FetchRef(ctx context.Context, address, ref, into string) (string, error) {
	for _, name := range []string{ref, into} {
		if err := checkRef(name); err != nil {
			return "", err
		}
	}
	if !strings.HasPrefix(into, "refs/upstream/") {
		return "", fmt.Errorf("fetch %s: %s is not below refs/upstream/", ref, into)
	}
	if err := y.fetch(ctx, address, false, "+"+ref+":"+into); err != nil {
		return "", err
	}
	return y.Resolve(ctx, into)
}

func (y *Yard) fetch(ctx context.Context, address string, prune bool, refspec string) error {
	r, err := parseRemote(address)
	if err != nil {
		return err
	}
	command := []string{"fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules", "--refmap=", "--update-shallow"}
	command = append(command, r.servant("upload-pack")...)
	if prune {
		command = append(command, "--prune")
	}
	command = append(command, "--", r.address, refspec)
	if _, err := y.remoteGit().withConfig(oldMistakes()...).run(ctx, command...); err != nil {
		if stderrHas(err, "couldn't find remote ref") {
			return fmt.Errorf("fetch from %s: %w: %w", redactURLs(address), ErrNotFound, err)
		}
		return fmt.Errorf("fetch from %s: %w", redactURLs(address), classifyRemote(err))
	}
	return nil
}
