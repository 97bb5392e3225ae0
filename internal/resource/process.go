package resource

import "time"

// Process is one entry of the machine's process table.
type Process struct {
	Parent, Session, Threads int
	Zombie                   bool
	Start                    string // when it started, as the kernel counts; empty if the system does not say
	resident                 int64
	cpu                      time.Duration
}

// Descend adds to inside every process of table that descends from one in it.
func Descend(table map[int]Process, inside map[int]bool) {
	for grown := true; grown; {
		grown = false
		for pid, p := range table {
			if !inside[pid] && inside[p.Parent] {
				inside[pid], grown = true, true
			}
		}
	}
}

// readTree adds up the descendants of root. Memory that processes share is counted once for each of them, unless that
// makes the sum more than limit: then their proportional shares are read, which costs more.
func readTree(root int, limit int64) use {
	table := ProcessTable()
	inside := map[int]bool{root: true}
	Descend(table, inside)
	delete(inside, root)
	var sum use
	for pid := range inside {
		p := table[pid]
		sum.Processes += p.Threads
		sum.Memory += p.resident
		sum.cpu += p.cpu
	}
	if over(sum.Memory, limit) {
		sum.Memory = 0
		for pid := range inside {
			sum.Memory += proportional(pid, table[pid].resident)
		}
	}
	return sum
}
