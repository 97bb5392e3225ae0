package runfolder

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// The files that a run in waves has beside those of every run. Each is a pure
// function of the manifest and of what is below artifacts/.
const (
	PoolFile    = "pool.json"
	InboxFile   = "inbox.jsonl"
	AnswersFile = "answers.jsonl"
	WavesDir    = "waves"
)

// words are the questions and answers of the part of the manifest that was read,
// as lines.
type words struct {
	end            int64 // offset in the manifest
	inbox, answers []byte
}

// asked is a line of inbox.jsonl.
type asked struct {
	ID       string    `json:"id"`
	Question string    `json:"question_id"` // the same: by it answers.jsonl refers to the line
	Source   string    `json:"source"`      // the delegation, or planner
	Text     string    `json:"text"`
	From     string    `json:"from,omitempty"` // delegation; empty for the planner's own
	Blocking bool      `json:"blocking"`
	About    string    `json:"about,omitempty"`
	Default  string    `json:"default,omitempty"`
	At       time.Time `json:"at"`
}

// answered is a line of answers.jsonl.
type answered struct {
	Question string    `json:"question_id"`
	Answer   string    `json:"answer"`
	By       string    `json:"by"` // person, planner or default
	At       time.Time `json:"at"`
}

// WriteWaves writes the files of a run in waves: pool.json and waves/ from the run
// and its documents, which read finds by their digest, the questions and answers
// from the manifest. It returns the names of the files that it repaired, because
// they were not an earlier state of the same file: one with a torn or a repeated
// line, for example.
func (f *Folder) WriteWaves(r *core.Run, read func(digest string) (io.ReadCloser, error)) (mended []string, err error) {
	if r.Waves == nil {
		return nil, nil
	}
	pool, err := Pool(r)
	if err != nil {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.listen(); err != nil {
		return nil, err
	}
	for _, file := range []struct {
		name    string
		content []byte
		grows   bool
	}{{InboxFile, f.words.inbox, true}, {AnswersFile, f.words.answers, true}, {PoolFile, pool, false}} {
		whole, err := f.settle(file.name, file.content)
		if err != nil {
			return mended, err
		}
		if file.grows && !whole {
			mended = append(mended, file.name)
		}
	}
	return mended, f.writeEnds(r.Waves.Ends, read)
}

// Pool renders pool.json: every fact there ever was, in the order they came in.
func Pool(r *core.Run) ([]byte, error) {
	facts := make([]core.Fact, 0, len(r.Waves.Pool))
	for _, fact := range r.Waves.Pool {
		if fact.Sources == nil {
			fact.Sources = []string{}
		}
		facts = append(facts, fact)
	}
	data, err := json.MarshalIndent(facts, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("pool of run %s: %w", r.ID, err)
	}
	return append(data, '\n'), nil
}

// listen reads what was asked and answered since the manifest was last read.
// f.mu is held.
func (f *Folder) listen() error {
	return f.reading(ManifestFile, func(file *os.File) error {
		if _, err := file.Seek(f.words.end, io.SeekStart); err != nil {
			return explain(err, f.at(ManifestFile))
		}
		n, err := eachLine(file, f.words.hear)
		f.words.end += n
		return explain(err, f.at(ManifestFile))
	})
}

// hear takes in a line of the manifest that is a question or an answer. Most are
// neither, and are not decoded.
func (w *words) hear(line []byte) error {
	if !bytes.Contains(line, []byte(`"`+core.TypeQuestionAsked+`"`)) && !bytes.Contains(line, []byte(`"`+core.TypeQuestionAnswered+`"`)) {
		return nil
	}
	e, err := parseLine(line)
	if err != nil {
		return err
	}
	body, err := core.Decode(e)
	if err != nil {
		return err
	}
	switch b := body.(type) {
	case core.QuestionAsked:
		w.inbox, err = withLine(w.inbox, asked{ID: b.ID, Question: b.ID, Source: cmp.Or(b.From, core.PlannerStage), Text: b.Text, From: b.From, Blocking: b.Blocking, About: b.About, Default: b.Default, At: e.At})
	case core.QuestionAnswered:
		w.answers, err = withLine(w.answers, answered{Question: b.ID, Answer: b.Text, By: by(b), At: e.At})
	default: // only its text mentions one
	}
	return err
}

func by(b core.QuestionAnswered) string {
	switch {
	case b.Planner:
		return string(core.OriginPlanner)
	case b.Default:
		return string(core.OriginDefault)
	}
	return string(core.OriginPerson)
}

func withLine(lines []byte, v any) ([]byte, error) {
	line, err := json.Marshal(v)
	return append(append(lines, line...), '\n'), err
}

// settle gives a file its content. It reports whether the file was whole: missing,
// empty, or a beginning of that content that ends with a line.
func (f *Folder) settle(name string, content []byte) (whole bool, err error) {
	old, err := f.root.ReadFile(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return false, explain(err, f.at(name))
	case bytes.Equal(old, content):
		return true, nil
	}
	whole = bytes.HasPrefix(content, old) && (len(old) == 0 || old[len(old)-1] == '\n')
	return whole, f.replace(name, bytes.NewReader(content), false)
}

// writeEnds copies the documents that closed waves. One that is there already is
// left alone.
func (f *Folder) writeEnds(ends []core.WaveEnd, read func(digest string) (io.ReadCloser, error)) error {
	for _, end := range ends {
		for kind, digest := range map[string]string{"compact": end.Compact, "detailed": end.Detailed} {
			name := path.Join(WavesDir, fmt.Sprintf("wave_%02d_%s.md", end.Wave, kind))
			if digest == "" || f.written[name] == digest {
				continue
			}
			if old, err := f.root.ReadFile(name); err != nil || hashOf(old) != digest {
				if err := f.copy(name, digest, read); err != nil {
					return err
				}
			}
			if f.written == nil {
				f.written = map[string]string{}
			}
			f.written[name] = digest
		}
	}
	return nil
}

// copy puts a document into the folder, whole or not at all.
func (f *Folder) copy(name, digest string, read func(digest string) (io.ReadCloser, error)) (err error) {
	content, err := read(digest)
	if err != nil {
		return fmt.Errorf("read %s: %w", strings.TrimSuffix(path.Base(name), ".md"), err)
	}
	defer func() { err = errors.Join(err, content.Close()) }()
	return f.replace(name, content, false) // it is among the objects
}
