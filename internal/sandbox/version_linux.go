package sandbox

import (
	"fmt"
	"syscall"
)

func changed(stat *syscall.Stat_t) string { return fmt.Sprintf("%d.%d", stat.Ctim.Sec, stat.Ctim.Nsec) }
