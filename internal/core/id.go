package core

import (
	"fmt"
	"strconv"
	"strings"
)

// Streams are named by kind and identity: "run/<uuid>", "project/<key>".
const (
	runPrefix     = "run/"
	projectPrefix = "project/"
)

// RunStream names the stream of a run.
func RunStream(run string) string { return runPrefix + run }

// ProjectStream names the stream of a project.
func ProjectStream(project string) string { return projectPrefix + project }

// StreamKind splits a stream name into its kind ("run", "project") and identity.
func StreamKind(stream string) (kind, id string) {
	kind, id, _ = strings.Cut(stream, "/")
	return kind, id
}

// EventID derives an event's identity from its place in its stream, so that
// repeating a step gives the same identity.
func EventID(stream string, seq int64) string { return fmt.Sprintf("%s#%d", stream, seq) }

// TaskID derives a task's identity from its stage, round and name. The name is
// empty if a round has a single task.
func TaskID(stage string, round int, name string) string {
	id := fmt.Sprintf("%s.r%d", stage, round)
	if name != "" {
		id += "." + name
	}
	return id
}

// AttemptID derives an attempt's identity from its task.
func AttemptID(task string, n int) string { return fmt.Sprintf("%s.a%d", task, n) }

const checkPrefix = "check-"

// CheckID derives the identity of a check's command from what is checked, the
// digest of the command, and how often that has run.
func CheckID(of, digest string, n int) string {
	return fmt.Sprintf("%s%s-%s-%d", checkPrefix, of, digest, n)
}

// IsCheckID reports an identity that CheckID gave. That of an attempt is never
// one, whatever its stage is called.
func IsCheckID(id string) bool {
	_, err := strconv.Atoi(id[strings.LastIndexByte(id, '-')+1:])
	return err == nil && strings.HasPrefix(id, checkPrefix)
}
