package prompt

import (
	"path"
	"slices"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// Bounds of what is copied into an input folder.
const (
	maxRequired = core.MaxRequired
	maxOutputs  = 256
)

// Blob is a document to copy into the folder of inputs: if Most is not 0, at most that many bytes of it.
type Blob struct {
	Name   string
	Digest string
	Most   int64
	Called string // the name or id under which it can be fetched whole
}

// WaveBlobs are the stored documents that an attempt of a run in waves reads: the compact truth of the last wave; for a
// worker, what its delegation requires and what its dependencies answered; for a planner, the answers of the wave it closes.
func WaveBlobs(r *core.Run, attempt string) []Blob {
	stage, task, _ := r.Attempt(attempt)
	if task == nil || !r.ByWaves() {
		return nil
	}
	var blobs []Blob
	if end := compactOf(r.Waves); end != nil {
		name := CompactFile(end.Wave)
		blobs = append(blobs, Blob{Name: name, Digest: end.Compact, Most: MaxCompact, Called: name})
	}
	if task.Kind == core.KindWave {
		return append(blobs, outputs(r)...)
	}
	d := r.Waves.Work(stage.ID)
	if d == nil {
		return blobs
	}
	if before := r.Waves.Whole(d); before != nil {
		blobs = append(blobs, Blob{Name: EarlierFile, Digest: before.Digest, Called: before.ID})
	}
	return append(blobs, required(r, d.Brief)...)
}

// outputs are the whole answers of the delegations that the planner is told of.
func outputs(r *core.Run) []Blob {
	var blobs []Blob
	for _, d := range told(r) {
		if doc := r.Waves.Whole(d); doc != nil && d.Answer != nil && len(blobs) < maxOutputs {
			blobs = append(blobs, Blob{Name: path.Join(OutputsDir, d.Brief.ID+".json"), Digest: doc.Digest, Called: doc.ID})
		}
	}
	return blobs
}

// required are the documents that a delegation requires, and the answers and documents of its dependencies.
func required(r *core.Run, b core.Brief) []Blob {
	var docs []*core.Document
	for _, reference := range slices.Concat(b.Requires, b.Provided) {
		docs = append(docs, document(r, reference))
	}
	for _, id := range b.DependsOn {
		if d := r.Waves.Work(id); d != nil {
			docs = append(docs, r.Waves.Whole(d))
			for _, name := range d.Brief.Outputs {
				docs = append(docs, r.Waves.Named(name))
			}
		}
	}
	var blobs []Blob
	for _, doc := range docs {
		if doc == nil || len(blobs) == maxRequired || slices.ContainsFunc(blobs, func(o Blob) bool { return o.Digest == doc.Digest }) {
			continue
		}
		blob := Blob{Name: path.Join(RequiredDir, doc.Name), Digest: doc.Digest, Called: doc.ID}
		if r.Waves.Work(doc.Name) != nil {
			blob.Name += ".json" // a whole answer
		}
		if slices.ContainsFunc(blobs, func(o Blob) bool { return o.Name == blob.Name }) {
			dir, name := path.Split(blob.Name)
			blob.Name = path.Join(dir, blob.Called+"-"+name) // another of that name
		}
		blobs = append(blobs, blob)
	}
	return blobs
}

// document finds a document by a delegation's reference; nil if the reference is to something else.
func document(r *core.Run, reference string) *core.Document {
	kind, called := core.Reference(reference)
	if kind != "" && kind != core.RefersDetail {
		return nil
	}
	return r.Waves.Document(called)
}
