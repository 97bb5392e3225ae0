package yard

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Commit is one commit as the log shows it. Texts are as their author wrote them and need not be UTF-8.
type Commit struct {
	Hash        string
	Parents     []string
	AuthorName  string
	AuthorEmail string
	AuthoredAt  time.Time
	Subject     string
}

// Log lists the commits reachable from head but not from base, newest first, children before
// parents. An empty base lists the whole history.
func (y *Yard) Log(ctx context.Context, base, head string) ([]Commit, error) {
	if err := checkRev(head); err != nil {
		return nil, err
	}
	args := []string{"log", "-z", "--topo-order", "--no-show-signature", "--no-color", "--format=%H%n%P%n%an%n%ae%n%at%n%s", head}
	if base != "" {
		if err := checkRev(base); err != nil {
			return nil, err
		}
		args = append(args, "^"+base)
	}
	out, err := y.git().run(ctx, append(args, "--")...)
	if err != nil {
		return nil, fmt.Errorf("log %s..%s: %w", base, head, err)
	}
	var commits []Commit
	for record := range records(out) {
		c, err := parseCommit(record)
		if err != nil {
			return nil, err
		}
		commits = append(commits, c)
	}
	return commits, nil
}

func parseCommit(record string) (Commit, error) {
	fields := strings.SplitN(record, "\n", 6)
	if len(fields) != 6 {
		return Commit{}, fmt.Errorf("unexpected record of git log: %q", record)
	}
	seconds, err := strconv.ParseInt(fields[4], 10, 64)
	if err != nil {
		return Commit{}, fmt.Errorf("date of commit %s: %w", fields[0], err)
	}
	return Commit{
		Hash:        fields[0],
		Parents:     strings.Fields(fields[1]),
		AuthorName:  fields[2],
		AuthorEmail: fields[3],
		AuthoredAt:  time.Unix(seconds, 0).UTC(),
		Subject:     fields[5],
	}, nil
}

// IsAncestor reports whether commit is contained in head; a commit contains itself.
func (y *Yard) IsAncestor(ctx context.Context, commit, head string) (bool, error) {
	if near, err := y.isParent(ctx, commit, head); err != nil || near {
		return near, err
	}
	return y.git().isAncestor(ctx, commit, head)
}

// isParent reports the usual case without a process of its own: head is commit, or its child.
func (y *Yard) isParent(ctx context.Context, commit, head string) (bool, error) {
	if !isHash(commit) || !isHash(head) {
		return false, nil
	}
	found, content, err := y.reader.read(ctx, head, maxOutput)
	if errors.Is(err, ErrNotFound) || err == nil && found.kind != "commit" {
		return false, nil // git says it in its own words
	}
	if err != nil || commit == head {
		return err == nil, err
	}
	for line := range strings.Lines(string(content)) {
		if parent, ok := strings.CutPrefix(line, "parent "); ok && strings.TrimSpace(parent) == commit {
			return true, nil
		} else if line == "\n" {
			break
		}
	}
	return false, nil
}

func (g git) isAncestor(ctx context.Context, commit, head string) (bool, error) {
	if err := checkRev(commit, head); err != nil {
		return false, err
	}
	_, err := g.run(ctx, "merge-base", "--is-ancestor", commit, head)
	if exitCode(err) == 1 {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("find whether %[2]s contains %[1]s: %[3]w", commit, head, err)
	}
	return true, nil
}
