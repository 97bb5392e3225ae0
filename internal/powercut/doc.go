// Package powercut cuts the power. Its tests run a writer as a process of its own, which keeps events, objects and run
// folders as an engine does, on a file system that loses what was not synced (lossyfs). At a random moment the power fails
// and the writer is killed. Then everything is opened again on what survived, and compared with what the writer had
// acknowledged. It must not know how the rooms make anything durable, only what must be true afterwards.
package powercut
