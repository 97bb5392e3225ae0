package powercut

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"sync"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// ack says that something is durable, since the call that keeps it has returned. Each is a line of the writer's output.
type ack struct {
	Stream   string     `json:"stream,omitempty"` // committed up to Head
	Head     *core.Head `json:"head,omitempty"`
	Run      string     `json:"run,omitempty"` // its folder has the events up to Seq
	Seq      int64      `json:"seq,omitempty"`
	Object   string     `json:"object,omitempty"`
	Document string     `json:"document,omitempty"` // has Version and says Count
	Version  int64      `json:"version,omitempty"`
	Count    int        `json:"count,omitempty"`
	Backup   string     `json:"backup,omitempty"` // is a copy of the database
}

// acks are what a writer has said so far.
type acks struct {
	mu  sync.Mutex
	out io.Writer
}

func (a *acks) say(word ack) error {
	line, err := json.Marshal(word)
	if err != nil {
		return err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	_, err = a.out.Write(append(line, '\n'))
	return err
}

// known is what was acknowledged on a disk since it was empty.
type known struct {
	heads     map[string]core.Head
	folders   map[string]int64
	objects   map[string]bool
	documents map[string]ack
	backups   map[string]bool
	words     int
}

func newKnown() *known {
	return &known{heads: map[string]core.Head{}, folders: map[string]int64{}, objects: map[string]bool{}, documents: map[string]ack{}, backups: map[string]bool{}}
}

// hear takes down what a writer says until it ends. A last line that it was killed in says nothing.
func (k *known) hear(r io.Reader) error {
	lines := bufio.NewReader(r)
	for {
		line, err := lines.ReadBytes('\n')
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		var word ack
		if err := json.Unmarshal(line, &word); err != nil {
			return fmt.Errorf("the writer said %q: %w", line, err)
		}
		k.note(word)
	}
}

func (k *known) note(word ack) {
	k.words++
	switch {
	case word.Head != nil:
		k.heads[word.Stream] = *word.Head
	case word.Run != "":
		k.folders[word.Run] = word.Seq
	case word.Object != "":
		k.objects[word.Object] = true
	case word.Document != "":
		k.documents[word.Document] = word
	case word.Backup != "":
		k.backups[word.Backup] = true
	}
}
