package yard

import (
	"bytes"
	"context"
	"fmt"
	"strconv"
	"strings"
)

// blobSizes returns how large blobs are, by hash.
func (g git) blobSizes(ctx context.Context, hashes []string) (map[string]int64, error) {
	out, err := g.feed(ctx, []byte(strings.Join(hashes, "\n")+"\n"), "cat-file", "--batch-check", "--buffer")
	if err != nil {
		return nil, err
	}
	sizes := map[string]int64{}
	for line := range strings.Lines(string(out)) {
		hash, size, err := parseBlobHeader(line)
		if err != nil {
			return nil, err
		}
		sizes[hash] = size
	}
	return sizes, nil
}

// blobs returns the contents of blobs by hash, in one process. Together they must be smaller than maxOutput.
func (g git) blobs(ctx context.Context, hashes []string) (map[string][]byte, error) {
	out, err := g.feed(ctx, []byte(strings.Join(hashes, "\n")+"\n"), "cat-file", "--batch", "--buffer")
	if err != nil {
		return nil, err
	}
	contents := map[string][]byte{}
	for len(out) > 0 {
		header, rest, _ := bytes.Cut(out, []byte{'\n'})
		hash, size, err := parseBlobHeader(string(header))
		if err != nil {
			return nil, err
		}
		if int64(len(rest)) <= size {
			return nil, fmt.Errorf("blob %s is cut off", hash)
		}
		contents[hash], out = rest[:size], rest[size+1:]
	}
	return contents, nil
}

// parseBlobHeader reads "hash blob size".
func parseBlobHeader(line string) (hash string, size int64, err error) {
	fields := strings.Fields(line)
	if len(fields) != 3 || fields[1] != "blob" {
		return "", 0, fmt.Errorf("not a file: %q", line)
	}
	size, err = strconv.ParseInt(fields[2], 10, 64)
	return fields[0], size, err
}
