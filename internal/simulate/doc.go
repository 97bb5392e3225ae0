// Package simulate runs several engines, their store, objects, attempts and people in one process under virtual time. Every
// choice comes from one seed: who goes next, how long the store takes, who fails and when. So a seed that breaks a law breaks
// it again. Its engines, deciders and the removal of objects are the real ones, its store is SQLite, objects are in memory;
// effects are recorded instead of carried out. It must not know how engines agree, only what must be true at every moment.
package simulate
