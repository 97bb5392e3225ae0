package e2e

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/stellwerk-dev/stellwerk/internal/object/s3/s3test"
	"github.com/stellwerk-dev/stellwerk/internal/pg/pgtest"
)

// disasterKey is where a scenario finds what it saves and restores.
type disasterKey struct{}

// disaster is a database server whose log is archived, and a bucket.
type disaster struct {
	t      testing.TB
	server *pgtest.Server
	backup string
	times  map[string]time.Time
	bucket string
	taken  map[string][]byte // what was removed from the bucket, by key
}

// inside has what fails end the scenario that it happens in, and not all of them.
type inside struct {
	testing.TB
	ts *testscript.TestScript
}

func (i inside) Fatal(args ...any)                 { i.ts.Fatalf("%s", fmt.Sprint(args...)) }
func (i inside) Fatalf(format string, args ...any) { i.ts.Fatalf(format, args...) }

// disasters are:
//
//	server start VAR          a PostgreSQL server of its own that archives its log; the address of its database goes into VAR
//	server backup             makes a base backup
//	server mark NAME          remembers the time
//	server restore NAME VAR   another server, as this one was then; the address of its database goes into VAR
//	bucket make               an empty bucket, into STELLWERK_OBJECTS, and what opens it
//	bucket empty              removes everything in it
//	bucket refill             puts back what was removed
//	type DOC HEADING          runs the commands that a section of a page shows
func disasters() map[string]func(*testscript.TestScript, bool, []string) {
	return map[string]func(*testscript.TestScript, bool, []string){"server": plain(serverCommand), "bucket": plain(bucketCommand), "type": plain(commandsOf)}
}

// commandsOf runs the commands of the program that a section of a page shows, one after the other: what a reader would type. A
// fixed port becomes one that is free.
func commandsOf(ts *testscript.TestScript, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: type DOC HEADING")
	}
	page, err := os.ReadFile(filepath.Join(ts.Getenv("DOCS"), args[0]))
	ts.Check(err)
	_, section, found := strings.Cut(string(page), "\n## "+args[1]+"\n")
	section, _, _ = strings.Cut(section, "\n## ")
	typed := 0
	for line := range strings.SplitSeq(section, "\n") {
		if strings.HasPrefix(line, "stellwerk ") {
			ts.Check(ts.Exec("sh", "-c", regexp.MustCompile(`(--listen \S+):\d+`).ReplaceAllString(line, "$1:0")))
			typed++
		}
	}
	if !found || typed == 0 {
		ts.Fatalf("%s shows no commands in %s", args[0], args[1])
	}
}

func serverCommand(ts *testscript.TestScript, args []string) {
	d, t := disasterOf(ts)
	switch {
	case len(args) == 2 && args[0] == "start":
		d.server, d.times = pgtest.Archived(t), map[string]time.Time{}
		ts.Setenv(args[1], d.server.Address("postgres"))
	case len(args) == 1 && args[0] == "backup":
		d.backup = d.server.Backup(t)
	case len(args) == 2 && args[0] == "mark":
		d.times[args[1]] = d.server.Now(t)
	case len(args) == 3 && args[0] == "restore":
		ts.Setenv(args[2], d.server.Restored(t, d.backup, d.times[args[1]]).Address("postgres"))
	default:
		ts.Fatalf("usage: server start VAR | backup | mark NAME | restore NAME VAR")
	}
}

func disasterOf(ts *testscript.TestScript) (*disaster, testing.TB) {
	d, _ := ts.Value(disasterKey{}).(*disaster)
	return d, inside{d.t, ts}
}

func bucketCommand(ts *testscript.TestScript, args []string) {
	d, t := disasterOf(ts)
	if len(args) == 1 && args[0] == "make" {
		endpoint, name := s3test.Bucket(t)
		d.bucket = name
		for variable, value := range map[string]string{
			"STELLWERK_OBJECTS": "s3://" + name + "/team", "AWS_ENDPOINT_URL_S3": endpoint, "AWS_REGION": s3test.Region,
			"AWS_ACCESS_KEY_ID": s3test.Key, "AWS_SECRET_ACCESS_KEY": s3test.Secret,
		} {
			ts.Setenv(variable, value)
		}
		return
	}
	client, ctx := s3test.Client(t, s3test.Key, s3test.Secret), t.Context()
	switch {
	case len(args) == 1 && args[0] == "empty":
		d.taken = map[string][]byte{}
		for o := range client.ListObjects(ctx, d.bucket, minio.ListObjectsOptions{Recursive: true}) {
			ts.Check(o.Err)
			r, err := client.GetObject(ctx, d.bucket, o.Key, minio.GetObjectOptions{})
			ts.Check(err)
			d.taken[o.Key], err = io.ReadAll(r)
			ts.Check(errors.Join(err, r.Close()))
			ts.Check(client.RemoveObject(ctx, d.bucket, o.Key, minio.RemoveObjectOptions{}))
		}
	case len(args) == 1 && args[0] == "refill":
		for key, data := range d.taken {
			_, err := client.PutObject(ctx, d.bucket, key, bytes.NewReader(data), int64(len(data)), minio.PutObjectOptions{})
			ts.Check(err)
		}
	default:
		ts.Fatalf("usage: bucket make | empty | refill")
	}
}
