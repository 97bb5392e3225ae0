package yard

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// bundle writes the commits of a hand-in to spec.Bundle: complete or not at all. Git makes their pack if there is none.
func (h *handInState) bundle(ctx context.Context, result HandedIn, pack []byte) (err error) {
	header, wanted := "# v2 git bundle\n-"+h.spec.Base+"\n", "^"+h.spec.Base+"\n"
	if result.Commits > 0 {
		header, wanted = header+result.Commit+" "+bundleHead+"\n", wanted+result.Commit+"\n"
	}
	for i, commit := range result.Left {
		header, wanted = header+commit+" "+bundleLeft+strconv.Itoa(i)+"\n", wanted+commit+"\n"
	}
	out, err := os.CreateTemp(filepath.Dir(h.spec.Bundle), ".bundle-")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(out.Name()))
		}
	}()
	limited := &limitedWriter{w: out, left: h.spec.MaxBytes}
	_, err = io.WriteString(limited, header+"\n")
	switch {
	case err != nil:
	case pack != nil:
		_, err = limited.Write(pack)
	default:
		err = h.git.stream(ctx, strings.NewReader(wanted), limited, "pack-objects", "--revs", "--stdout", "--thin", "--delta-base-offset", "-q")
	}
	if limited.exceeded {
		err = &TooBigError{What: "the bundle of the attempt's work", Limit: h.spec.MaxBytes}
	}
	if err = errors.Join(err, out.Close()); err != nil {
		return err
	}
	return os.Rename(out.Name(), h.spec.Bundle)
}

// bundleContent is what a bundle says it holds.
type bundleContent struct {
	head          string
	left          []string
	prerequisites []string
}

// commits are all commits the bundle names.
func (c bundleContent) commits() []string {
	if c.head == "" {
		return c.left
	}
	return append([]string{c.head}, c.left...)
}

// readBundleHeader reads up to the pack. It accepts only the headers that HandIn writes: a bundle comes from inside a sandbox,
// so anything else, filters and other capabilities above all, is a forgery.
func readBundleHeader(r *bufio.Reader) (bundleContent, error) {
	const mostLines = 10_000
	var content bundleContent
	for n := range mostLines {
		line, err := r.ReadSlice('\n') // fails on lines longer than the reader's buffer
		if err != nil {
			return bundleContent{}, fmt.Errorf("%w: the bundle's header is cut off", ErrCorrupt)
		}
		text := string(line[:len(line)-1])
		switch {
		case n == 0 && text != "# v2 git bundle":
			return bundleContent{}, fmt.Errorf("%w: not a version 2 bundle", ErrCorrupt)
		case n == 0:
			continue
		case text == "" && len(content.commits()) == 0:
			return bundleContent{}, fmt.Errorf("%w: the bundle names no commit", ErrCorrupt)
		case text == "":
			return content, nil
		}
		if err := content.add(text); err != nil {
			return bundleContent{}, err
		}
	}
	return bundleContent{}, fmt.Errorf("%w: the bundle's header has more than %d lines", ErrCorrupt, mostLines)
}

func (c *bundleContent) add(line string) error {
	line, prerequisite := strings.CutPrefix(line, "-")
	hash, name, _ := strings.Cut(line, " ")
	switch {
	case !isHash(hash):
		return fmt.Errorf("%w: unexpected line %q in the bundle's header", ErrCorrupt, line)
	case prerequisite:
		c.prerequisites = append(c.prerequisites, hash)
	case name == bundleHead && c.head == "":
		c.head = hash
	case name == bundleLeft+strconv.Itoa(len(c.left)):
		c.left = append(c.left, hash)
	default:
		return fmt.Errorf("%w: unexpected ref %q in the bundle", ErrCorrupt, name)
	}
	return nil
}
