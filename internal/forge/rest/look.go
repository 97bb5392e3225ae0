package rest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/forge"
)

// maxPages bounds how many pages of one list are read.
const maxPages = 40

// Look is one look at one pull request.
type Look struct {
	Repository
	Number int
	Seen   forge.Seen

	client *Client
}

// Look begins a look. It asks nothing yet.
func (c *Client) Look(ref forge.Ref) (*Look, error) {
	repo, err := c.Repository(ref.Remote)
	return &Look{Repository: repo, Number: ref.Number, client: c}, err
}

// Failed says which part of the pull request could not be read, and why.
func (l *Look) Failed(ctx context.Context, part string, resp *Answer, err error) error {
	return l.client.Failure(ctx, fmt.Sprintf("read %spull request %d of %s", part, l.Number, l.Repository), resp, err)
}

// Unread notes what this token may not see instead of failing the whole look: fine-grained tokens are often made without
// those permissions.
func (l *Look) Unread(what string, err error) error {
	if errors.Is(err, forge.ErrForbidden) || errors.Is(err, forge.ErrNotFound) {
		l.Seen.Unread = append(l.Seen.Unread, what)
		return nil
	}
	return err
}

// List reads a list of what belongs to the pull request, and notes where it was cut.
func List[T any](ctx context.Context, l *Look, what string, read func(page int) ([]T, *Answer, error)) ([]T, error) {
	all, complete, resp, err := Pages(read)
	if err != nil {
		return nil, l.Failed(ctx, "the "+what+" of ", resp, err)
	}
	if !complete {
		l.Seen.Unread = append(l.Seen.Unread, fmt.Sprintf("%s beyond the first %d", what, len(all)))
	}
	return all, nil
}

// Pages reads a list page by page, from page 1, to its end or to maxPages. The response is that of the last page.
func Pages[T any](read func(page int) ([]T, *Answer, error)) (all []T, complete bool, resp *Answer, err error) {
	for page := range maxPages {
		items, resp, err := read(page + 1)
		if err != nil {
			return nil, false, resp, err
		}
		all = append(all, items...)
		if len(items) == 0 || isComplete(resp.Header, len(all)) {
			return all, true, resp, nil
		}
	}
	return all, false, nil, nil
}

// isComplete reports whether a list ends after the items that were read. A server may give fewer on a page than it was
// asked for, and a Gitea gives some lists whole whatever page is asked for, so the total decides if the server names it.
func isComplete(h http.Header, read int) bool {
	if total, err := strconv.Atoi(h.Get("X-Total-Count")); err == nil {
		return read >= total
	}
	return !strings.Contains(h.Get("Link"), `rel="next"`)
}
