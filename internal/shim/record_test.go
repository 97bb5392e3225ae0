package shim

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/agent"
	"github.com/stellwerk-dev/stellwerk/internal/egress"
)

// TestAFloodHidesNoConnection: an agent that fills its transcript first has its connections on record all the same, and a
// flood of connections ends where theirs is full.
func TestAFloodHidesNoConnection(t *testing.T) {
	folder := t.TempDir()
	j, err := openJournal(folder, silent{}, 0)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 * j.limit / 1000 {
		j.add(silent{}.Redact, agent.Record{Kind: agent.KindText, Text: strings.Repeat("x", 1000)})
	}
	r := &record{journal: j}
	connect := func(host string, allowed bool) {
		r.add(egress.Connection{Start: time.Now(), End: time.Now(), Protocol: "connect", Host: host, Port: 443, Allowed: allowed})
	}
	for i := range 2 * maxHosts {
		connect(fmt.Sprintf("refused-%d.example", i), false)
	}
	connect("listed.example", true)
	for range connectionBytes / 100 {
		connect("refused.example", false)
	}
	if err := j.close(); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(folder, journalFile))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), "listed.example") || !strings.Contains(string(text), "records were dropped") {
		t.Error("the connection, or that something is missing, is not on record")
	}
	if most := j.limit + connectionBytes + 10_000; int64(len(text)) > most {
		t.Errorf("the transcript has %d bytes, more than %d", len(text), most)
	}
	traffic := r.traffic()
	if !traffic.OtherHosts || len(traffic.Hosts) != maxHosts+1 {
		t.Errorf("the sums have %d hosts", len(traffic.Hosts))
	}
	if last := traffic.Hosts[len(traffic.Hosts)-1]; last.Host != "listed.example" || last.Allowed != 1 {
		t.Errorf("the host that was reached is not among the sums: %+v", last)
	}
}
