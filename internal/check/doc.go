// Package check decides whether a delivery is done. It evaluates a core.Check outside the agent, from what the yard, the
// blobs and a process runner show, and says in words what was expected and what was there, so that a retry has evidence
// and a person a reason. It must not believe anything an agent says about itself, follow a path out of the project, or
// turn a failed check into an error: an error means that the checks could not be run at all.
//
// There is one file per kind. Paths are those of the delivered git tree. Only regular files count, so a symlink, a submodule
// or a deletion never satisfies a check.
package check
