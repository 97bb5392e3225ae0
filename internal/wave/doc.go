// Package wave has the published documents of a run of kind waves: their JSON Schemas, and the strict reading of those
// that agents write. A document is measured against its schema and against itself, and every mistake is told with its
// path, so that an agent can put all of them right at once; what can be read for certain although it is not quite in form
// is read, with a note. It must not believe what a document says, look at the run that it belongs to, or leave anything
// out without saying so.
package wave
