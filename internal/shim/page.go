package shim

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// Page is a piece of a transcript: the entries between two of its bytes.
type Page struct {
	Entries    []Entry
	Begin, End int64
}

// ErrPlace says that no entry of a transcript begins at a byte.
var ErrPlace = errors.New("no entry begins there")

// pageBytes bounds what is read for a page; one entry is read however long it is.
const pageBytes = 1 << 20

// JournalPath is where the transcript of an attempt's folder lies.
func JournalPath(folder string) string { return filepath.Join(folder, journalFile) }

// PageBefore reads the newest entries, at most so many, that a transcript has before a byte; 0 is its end. It reads only the
// page, however long the transcript is.
func PageBefore(path string, end int64, most int) (page Page, err error) {
	file, size, err := openAt(path, end)
	if err != nil {
		return Page{}, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	if end == 0 {
		end = size
	}
	data, begin := []byte(nil), end
	for block := int64(64 << 10); begin > 0 && !holds(data, most); block *= 2 {
		more := make([]byte, min(block, begin), min(block, begin)+int64(len(data)))
		if _, err := file.ReadAt(more, begin-int64(len(more))); err != nil {
			return Page{}, fmt.Errorf("read the transcript: %w", err)
		}
		begin -= int64(len(more))
		data = append(more, data...)
	}
	data = data[:bytes.LastIndexByte(data, '\n')+1] // what follows is being written
	end = begin + int64(len(data))
	if begin > 0 { // perhaps in the middle of an entry
		rest := data[bytes.IndexByte(data, '\n')+1:]
		begin, data = end-int64(len(rest)), rest
	}
	for bytes.Count(data, []byte("\n")) > most {
		rest := data[bytes.IndexByte(data, '\n')+1:]
		begin, data = end-int64(len(rest)), rest
	}
	page = Page{Begin: begin, End: end}
	for line := range bytes.Lines(data) {
		entry, err := decodeEntry(line)
		if err != nil {
			return Page{}, fmt.Errorf("%s after byte %d: %w", path, begin, err)
		}
		page.Entries = append(page.Entries, entry)
	}
	return page, nil
}

// holds reports that the end of a transcript has as many whole entries as a page takes. There may be only a part of one
// before the first newline and after the last.
func holds(data []byte, most int) bool {
	whole := bytes.Count(data, []byte("\n")) - 1
	return whole >= most || whole >= 1 && len(data) >= pageBytes
}

// PageAfter reads the entries, at most so many, that a transcript has after a byte. A last line without its newline is
// not read. With an error come the entries before what could not be read.
func PageAfter(path string, begin int64, most int) (page Page, err error) {
	file, _, err := openAt(path, begin)
	if err != nil {
		return Page{}, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	if _, err := file.Seek(begin, io.SeekStart); err != nil {
		return Page{}, fmt.Errorf("read the transcript: %w", err)
	}
	page = Page{Begin: begin, End: begin}
	lines := bufio.NewReaderSize(file, 64<<10)
	for len(page.Entries) < most && page.End-page.Begin < pageBytes {
		line, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return page, fmt.Errorf("read the transcript: %w", err)
		}
		entry, err := decodeEntry(line)
		if err != nil {
			return page, fmt.Errorf("%s at byte %d: %w", path, page.End, err)
		}
		page.Entries = append(page.Entries, entry)
		page.End += int64(len(line))
	}
	return page, nil
}

// EachEntry hands over the entries of a transcript one by one, for it may be larger than the memory that anybody wants to
// give for it. A last line without its newline is not read.
func EachEntry(transcript io.Reader, fn func(Entry)) error {
	lines := bufio.NewReaderSize(transcript, 64<<10)
	for at := 0; ; {
		line, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read the transcript: %w", err)
		}
		entry, err := decodeEntry(line)
		if err != nil {
			return fmt.Errorf("read the transcript at byte %d: %w", at, err)
		}
		fn(entry)
		at += len(line)
	}
}

// openAt opens a transcript to be read from or up to a byte, at which an entry must begin or the transcript end.
func openAt(path string, at int64) (*os.File, int64, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, 0, fmt.Errorf("read the transcript: %w", err)
	}
	info, err := file.Stat()
	if err == nil && at != 0 {
		before := make([]byte, 1)
		if at < 0 || at > info.Size() {
			err = ErrPlace
		} else if _, err = file.ReadAt(before, at-1); err == nil && before[0] != '\n' {
			err = ErrPlace
		}
	}
	if err != nil {
		return nil, 0, errors.Join(fmt.Errorf("read the transcript at byte %d: %w", at, err), file.Close())
	}
	return file, info.Size(), nil
}
