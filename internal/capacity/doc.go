// Package capacity measures what a company asks of its store: many projects, a part of which has runs, and a few engines. The
// engines, deciders and stores are the real ones and every call to the store is counted; effects take time and do nothing. With
// SQLite time is virtual, so 100,000 projects have a working day within minutes. It must not know how engines find their work,
// only what they ask for it.
package capacity
