package resource

import (
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
)

// v1Controllers are those that set a limit, and cpuacct, which counts the processor time.
func v1Controllers() []string { return []string{"memory", "pids", "cpu", "cpuacct"} }

// hierarchiesV1 are the mounted controllers in whose groups this process may make others. Why says what is missing.
func hierarchiesV1(tree cgroups) (out []hierarchy, why error) {
	for _, controller := range v1Controllers() {
		at, ok := tree.v1[controller]
		if !ok {
			continue
		}
		if err := writableDir(at.dir()); err != nil {
			why = errors.Join(why, err)
			continue
		}
		same := slices.IndexFunc(out, func(h hierarchy) bool { return h.own == at.dir() })
		if same >= 0 {
			out[same].controllers = append(out[same].controllers, controller)
			continue
		}
		out = append(out, hierarchy{base: at.dir(), own: at.dir(), controllers: []string{controller}, version: 1})
	}
	return out, why
}

const (
	// cpuPeriod is the length of time of which a group gets its share, in microseconds.
	cpuPeriod = 100_000
	// smallShares and smallWeight are half of a group's default, so that people at the machine come first.
	smallShares = 512
	smallWeight = 50
)

func (h hierarchy) limit(dir string, l Limits, outer bool) error {
	for _, controller := range h.controllers {
		var err error
		switch {
		case h.version == 2:
			err = limitV2(dir, controller, l, outer)
		case controller == "memory":
			err = limitMemoryV1(dir, l.Memory)
		case controller == "pids":
			err = writeFile(dir, "pids.max", orMax(int64(l.Processes)))
		case controller == "cpu":
			err = limitCPUV1(dir, l.CPU, outer)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// limitMemoryV1 bounds memory, and memory with swap if the kernel counts that. The first may never be more than the second,
// so the present values decide which must be changed first.
func limitMemoryV1(dir string, bytes int64) error {
	value := "-1"
	if bytes > 0 {
		value = strconv.FormatInt(bytes, 10)
	}
	const memory, withSwap = "memory.limit_in_bytes", "memory.memsw.limit_in_bytes"
	_ = writeFile(dir, withSwap, value) // fails if it would be less than the other, and is repeated below
	if err := writeFile(dir, memory, value); err != nil {
		return err
	}
	if err := writeFile(dir, withSwap, value); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

func limitCPUV1(dir string, cores float64, outer bool) error {
	quota := int64(-1)
	if cores > 0 {
		quota = int64(math.Round(cores * cpuPeriod))
	}
	err := errors.Join(writeFile(dir, "cpu.cfs_period_us", fmt.Sprint(cpuPeriod)), writeFile(dir, "cpu.cfs_quota_us", fmt.Sprint(quota)))
	if outer {
		err = errors.Join(err, writeFile(dir, "cpu.shares", fmt.Sprint(smallShares)))
	}
	return err
}

// orMax is how the kernel writes that there is no limit.
func orMax(n int64) string {
	if n <= 0 {
		return "max"
	}
	return strconv.FormatInt(n, 10)
}
