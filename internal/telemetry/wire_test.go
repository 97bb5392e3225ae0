package telemetry

import (
	"testing"

	collectorpb "go.opentelemetry.io/proto/slim/otlp/collector/trace/v1"
	"google.golang.org/protobuf/proto"
)

func TestRejected(t *testing.T) {
	for _, want := range []int64{0, 1, 300} {
		raw, err := proto.Marshal(&collectorpb.ExportTraceServiceResponse{PartialSuccess: &collectorpb.ExportTracePartialSuccess{RejectedSpans: want, ErrorMessage: "no"}})
		if err != nil {
			t.Fatal(err)
		}
		if got := rejected(raw); got != int(want) {
			t.Errorf("%d rejected, not %d", got, want)
		}
	}
	for _, garbage := range []string{"", "\x0a", "\x0a\xff", "\x0a\x02\x08", "not found", "\x0a\x0b\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"} {
		if got := rejected([]byte(garbage)); got != 0 {
			t.Errorf("%q: %d rejected", garbage, got)
		}
	}
}
