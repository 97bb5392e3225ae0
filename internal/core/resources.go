package core

// Resources bound what attempts take of the machine they run on.
type Resources struct {
	Attempt ResourceLimits `json:"attempt,omitzero"`
	Total   ResourceLimits `json:"total,omitzero"` // of all attempts of an engine together
}

// ResourceLimits are the most that may be taken at one time. Zero means no limit.
type ResourceLimits struct {
	Memory    int64   `json:"memory,omitzero"` // bytes
	Processes int     `json:"processes,omitzero"`
	CPU       float64 `json:"cpu,omitzero"`  // cores
	Disk      int64   `json:"disk,omitzero"` // bytes
}

// Consumption is what an attempt took of the machine.
type Consumption struct {
	PeakMemory    int64   `json:"peak_memory,omitzero"` // bytes
	PeakProcesses int     `json:"peak_processes,omitzero"`
	CPUSeconds    float64 `json:"cpu_seconds,omitzero"`
	Disk          int64   `json:"disk,omitzero"` // bytes
	// Held says by which means each limit was held: "memory, processes: cgroup v1; cpu: measured; disk: watched".
	Held string `json:"held,omitzero"`
	// Breach is the limit the attempt ran into, as a clause: "killed at 4.0 GiB of memory, the limit of an attempt".
	Breach string `json:"breach,omitzero"`
	// Exceeded is what that limit is about: memory, processes or disk.
	Exceeded string `json:"exceeded,omitzero"`
}
