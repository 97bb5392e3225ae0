// Package fleet lets several engines fight over one store: in one process, and as processes of
// their own that are killed, stopped past their lease and continued, or asked to end. Its
// engines execute effects by writing them into a file that everybody sees, and its tests look
// that nothing was done twice, nothing was lost, and every late conclusion was refused and is on
// record. It must not know how engines agree, only what must be true afterwards.
package fleet
