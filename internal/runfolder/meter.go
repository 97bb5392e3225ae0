package runfolder

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/measure"
)

// readyMeter makes sure that the meter has seen the events before seq. It reads those
// that another program wrote, or this one before a restart, from the manifest, and
// repairs metrics.jsonl: a writer that was killed after the manifest did not write the
// metrics. If the manifest cannot be read, it says so once, and only the durations of
// what was open are missing.
func (f *Folder) readyMeter(seq int64) error {
	if f.meter != nil && f.meter.seq == seq-1 {
		return nil
	}
	f.meter = &meter{tracker: measure.NewTracker()}
	lines, err := f.replay(f.meter, seq)
	f.meter.seq = seq - 1
	if err != nil {
		return err
	}
	return f.mendMetrics(lines)
}

// replay hands the manifest's events before a number to a meter, and returns their
// lines.
func (f *Folder) replay(m *meter, before int64) (measured []byte, err error) {
	err = f.EachBefore(before, metered, func(e core.Event, body core.Body) {
		measured = append(measured, m.linesOf(e, body)...)
	})
	return measured, err
}

// EachBefore hands over the manifest's events before a number. Only those of types
// that are wanted are read.
func (f *Folder) EachBefore(seq int64, wanted func(core.Type) bool, fn func(core.Event, core.Body)) (err error) {
	if seq <= 1 {
		return nil
	}
	path := f.at(ManifestFile)
	file, err := f.root.Open(ManifestFile)
	if err != nil {
		return explain(err, path)
	}
	defer func() { err = errors.Join(err, explain(file.Close(), path)) }()
	return eachBefore(file, path, seq, func(_ int64, line []byte) error {
		if !wanted(typeOf(line)) {
			return nil
		}
		var e core.Event
		if err := json.Unmarshal(line, &e); err != nil {
			return err
		}
		body, err := core.Decode(e)
		if err == nil {
			fn(e, body)
		}
		return err
	})
}

// metered reports the types of events that a meter makes something of.
func metered(t core.Type) bool { return measured(t) || measure.Reads(t) }

// typeOf finds the type of the event in a line without reading the whole: the
// envelope comes before the body, and nothing before the type in it can hold a
// quotation mark.
func typeOf(line []byte) core.Type {
	_, rest, _ := bytes.Cut(line, []byte(`"type":"`))
	name, _, _ := bytes.Cut(rest, []byte(`"`))
	return core.Type(name)
}

// mendMetrics replaces metrics.jsonl if its content is wrong.
func (f *Folder) mendMetrics(want []byte) error {
	have, err := f.root.ReadFile(MetricsFile)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return explain(err, f.at(MetricsFile))
	}
	if bytes.Equal(have, want) {
		return nil
	}
	if f.metrics != nil { // it would keep writing to the old file
		if err := f.metrics.Close(); err != nil {
			return explain(err, f.at(MetricsFile))
		}
		f.metrics = nil
	}
	return f.replace(MetricsFile, bytes.NewReader(want), true)
}

// appendMetrics does not wait for the disk, because metrics follow from the manifest.
// If it fails, the next Append repairs the file first.
func (f *Folder) appendMetrics(fresh []entry, read Reader) error {
	var lines []byte
	for _, e := range fresh {
		lines = append(lines, f.meter.lines(e.event, read)...)
	}
	if len(lines) == 0 {
		return nil
	}
	if f.metrics == nil {
		file, err := f.root.OpenFile(MetricsFile, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			f.meter = nil
			return explain(err, f.at(MetricsFile))
		}
		f.metrics = file
	}
	if _, err := f.metrics.Write(lines); err != nil {
		f.meter = nil
		return explain(err, f.at(MetricsFile))
	}
	return nil
}
