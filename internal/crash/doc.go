// Package crash kills engines and looks at what is left. Its tests start the
// engine as a process of its own, end it with SIGKILL at random moments and at
// every durable step, start it again on the same state folder, and compare what
// it had acknowledged, what its agents did and what the state folder holds. Others
// burn a whole host of several that share a store, or kill the database of a
// team with its engines, and compare what comes of it with a run that nobody
// disturbed. It must not know how the engine recovers, only what must be true afterwards.
package crash
