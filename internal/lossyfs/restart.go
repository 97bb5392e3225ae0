package lossyfs

import (
	"fmt"
	"math/rand/v2"
	"slices"
)

// Loss says what became of what was not synced when the power failed.
type Loss struct {
	Writes, LostWrites, TornWrites int
	Names, LostNames               int
}

func (l Loss) String() string {
	return fmt.Sprintf("of %d writes that were not synced %d were lost and %d torn, of %d names %d were lost",
		l.Writes, l.LostWrites, l.TornWrites, l.Names, l.LostNames)
}

// mood is how a crash treats what was not synced. Disks and file systems differ, so every crash has another one.
type mood struct {
	names, bytes float64 // share that is kept
	unit         int64   // bytes that are kept or lost together; 0 for a whole write
	sizes        bool    // a file may have its new size without its new bytes
}

func someMood(r *rand.Rand) mood {
	share := func() float64 {
		shares := []float64{0, 0.1, 0.5, 0.9, 1}
		return shares[r.IntN(len(shares))]
	}
	units := []int64{512, 4096, 0}
	return mood{names: share(), bytes: share(), unit: units[r.IntN(len(units))], sizes: r.IntN(2) == 0}
}

// Restart brings the power back after it failed. r chooses what survived of what was not synced. Nothing may be mounted.
func (d *Disk) Restart(r *rand.Rand) Loss {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.fail()
	crash := &crash{mood: someMood(r), r: r}
	ids := make([]uint64, 0, len(d.nodes))
	for id := range d.nodes {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	for _, id := range ids {
		crash.content(&d.nodes[id].file)
	}
	crash.names(d.nodes, ids)
	d.nodes = map[uint64]*node{}
	d.settle(d.root)
	d.changes, d.limit, d.dark, d.failed = 0, 0, false, make(chan struct{})
	return crash.loss
}

// settle makes what survived in a folder the present, and counts links anew.
func (d *Disk) settle(n *node) {
	if d.nodes[n.id] != nil {
		n.links++
		return
	}
	d.nodes[n.id] = n
	n.links = 1
	n.file.settle()
	n.folder.settle()
	for _, child := range n.folder.now {
		d.settle(child)
		if child.isFolder() {
			n.links++
		}
	}
	if n.isFolder() {
		n.links++
	}
}

// crash chooses what survives.
type crash struct {
	mood
	r    *rand.Rand
	loss Loss
}

func (c *crash) kept(share float64) bool { return c.r.Float64() < share }

// names first settles arrivals, and then whatever depends on them.
func (c *crash) names(nodes map[uint64]*node, ids []uint64) {
	for _, dependent := range []bool{false, true} {
		for _, id := range ids {
			folder := &nodes[id].folder
			for _, n := range folder.pending {
				if n.durable || (n.after != nil) != dependent {
					continue
				}
				c.loss.Names++
				if !c.kept(c.mood.names) || !folder.keep(n) {
					c.loss.LostNames++
				}
			}
		}
	}
}

func (c *crash) content(f *content) {
	for _, w := range f.pending {
		c.loss.Writes++
		f.synced = c.write(f.synced, w)
	}
}

// write applies what survives of a change.
func (c *crash) write(to []byte, w write) []byte {
	if w.resize {
		if !c.kept(c.bytes) {
			c.loss.LostWrites++
			return to
		}
		return w.in(to)
	}
	if c.sizes && w.end() > int64(len(to)) && c.kept(0.5) {
		to = resized(to, w.end())
	}
	lost, parts := 0, pieces(w, c.unit)
	for _, part := range parts {
		if c.kept(c.bytes) {
			to = part.in(to)
		} else {
			lost++
		}
	}
	switch lost {
	case 0:
	case len(parts):
		c.loss.LostWrites++
	default:
		c.loss.TornWrites++
	}
	return to
}

// pieces cuts a write where units of the disk begin.
func pieces(w write, unit int64) []write {
	if unit == 0 {
		return []write{w}
	}
	var all []write
	for at := w.at; at < w.end(); {
		end := min(w.end(), (at/unit+1)*unit)
		all = append(all, write{at: at, data: w.data[at-w.at : end-w.at]})
		at = end
	}
	return all
}
