// Package wave holds the published JSON Schemas of the documents of a run of kind waves, and reads strictly those that
// agents write. It checks a document against its schema and for contradictions, and reports every mistake with its path,
// so that an agent can fix all of them at once. It accepts small deviations whose meaning is certain, with a note. It must
// not trust what a document says, look at the run that it belongs to, or leave anything out silently.
package wave
