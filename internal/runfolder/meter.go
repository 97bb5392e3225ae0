package runfolder

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/measure"
)

// meterBefore is a meter that has seen the manifest's events before seq: another
// program wrote them, or this one before it was started again. Only the lines
// that a meter makes something of are read.
func (f *Folder) meterBefore(seq int64) (m *meter, err error) {
	m = newMeter()
	if seq > 1 {
		err = f.replay(m, seq)
	}
	m.seq = seq - 1
	return m, err
}

func (f *Folder) replay(m *meter, before int64) (err error) {
	path := f.at(ManifestFile)
	file, err := f.root.Open(ManifestFile)
	if err != nil {
		return explain(err, path)
	}
	defer func() { err = errors.Join(err, explain(file.Close(), path)) }()
	lines := bufio.NewReaderSize(file, 64<<10)
	for n := int64(1); n < before; n++ { // events are numbered as lines are
		line, whole, err := readLine(lines)
		if err != nil || !whole {
			return explain(err, path)
		}
		if !measure.Reads(typeOf(line)) {
			continue
		}
		var e core.Event
		if err := json.Unmarshal(line, &e); err != nil {
			return &LineError{Path: path, Line: n, Err: err}
		}
		if _, err := m.tracker.Next(e); err != nil {
			return &LineError{Path: path, Line: n, Err: err}
		}
	}
	return nil
}

// typeOf finds the type of the event in a line without reading the whole: the
// envelope comes before the body, and nothing before the type in it can hold a
// quotation mark.
func typeOf(line []byte) core.Type {
	_, rest, _ := bytes.Cut(line, []byte(`"type":"`))
	name, _, _ := bytes.Cut(rest, []byte(`"`))
	return core.Type(name)
}
