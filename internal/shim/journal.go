package shim

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/agent"
)

// Entry is one line of out.jsonl. N counts from 1 without gaps.
type Entry struct {
	N      int64        `json:"n"`
	At     time.Time    `json:"at"`
	Record agent.Record `json:"record"`
}

// journal writes out.jsonl: every record redacted, numbered, on a line of its own. If it cannot write, it remembers why and
// takes no more, because the agent must go on; the exit says so.
type journal struct {
	mu       sync.Mutex
	file     *os.File
	buffer   *bufio.Writer
	redactor Redactor
	n        int64
	written  int64
	limit    int64
	network  int64 // bytes of connections, which have a bound of their own
	refused  int64
	err      error
}

// journalGrowth bounds the journal by the raw output kept: JSON can make text longer, and an adapter can make several
// records of a line.
const journalGrowth = 4

// connectionBytes bounds the records of connections, apart from what an agent prints: no agent can hide a connection by
// filling the transcript first.
const connectionBytes = 8 << 20

func openJournal(folder string, redactor Redactor, outputBytes int64) (*journal, error) {
	file, err := os.OpenFile(filepath.Join(folder, journalFile), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open the attempt's transcript: %w", err)
	}
	return &journal{
		file: file, buffer: bufio.NewWriterSize(file, 64<<10), redactor: redactor,
		limit: journalGrowth * (outputBytes + tailBytes),
	}, nil
}

// add writes records of one stream, whose thread redacts what the agent wrote.
func (j *journal) add(thread func(string) string, records ...agent.Record) {
	for _, rec := range records {
		raw, err := encodeRecord(rec, j.redactor.Redact, thread)
		j.mu.Lock()
		if err == nil && j.err == nil {
			err = j.put(raw, rec.Kind)
		}
		j.err = errors.Join(j.err, err)
		j.mu.Unlock()
	}
}

// full tells whether the journal takes no more records of a kind.
func (j *journal) full(kind agent.RecordKind) bool {
	switch kind {
	case agent.KindNotice, agent.KindResult:
		return false
	case agent.KindConnection:
		return j.network > connectionBytes
	default:
		return j.written > j.limit
	}
}

func (j *journal) put(record json.RawMessage, kind agent.RecordKind) error {
	if j.full(kind) {
		j.refused++
		return nil
	}
	j.n++
	line, err := json.Marshal(struct {
		N      int64           `json:"n"`
		At     time.Time       `json:"at"`
		Record json.RawMessage `json:"record"`
	}{j.n, time.Now().UTC(), record})
	if err != nil {
		return fmt.Errorf("encode an entry of the transcript: %w", err)
	}
	if kind == agent.KindConnection {
		j.network += int64(len(line)) + 1
	} else {
		j.written += int64(len(line)) + 1
	}
	_, err = j.buffer.Write(append(line, '\n'))
	return err
}

func (j *journal) notice(format string, args ...any) {
	j.add(j.redactor.Redact, agent.Record{Kind: agent.KindNotice, Text: fmt.Sprintf(format, args...)})
}

// flush makes what was added visible to readers.
func (j *journal) flush() {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.err == nil {
		j.err = j.buffer.Flush()
	}
}

// close makes the journal durable and returns the first thing that went wrong with it.
func (j *journal) close() error {
	if j.refused > 0 {
		j.notice("%d records were dropped: the transcript is full", j.refused)
	}
	j.flush()
	if err := errors.Join(j.err, j.file.Sync(), j.file.Close()); err != nil {
		return fmt.Errorf("the transcript is incomplete: %w", err)
	}
	return nil
}
