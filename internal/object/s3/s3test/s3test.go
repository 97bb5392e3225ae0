// Package s3test gives tests an S3 server of their own: a real one, started once in a process on a free port with a temporary folder.
// It must not be used by the program.
package s3test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"github.com/stellwerk-dev/stellwerk/internal/servertest"
	"github.com/stellwerk-dev/stellwerk/internal/tooltest"
)

// What the server knows its only user by.
const (
	Key    = "made-up"
	Secret = "made-up-secret"
	Region = "us-east-1"
)

// server is the one of this process.
var server struct {
	once    sync.Once
	err     error
	dir     string
	address string
	process *servertest.Process

	mu sync.Mutex
	n  int
}

// Bucket makes an empty bucket for t, and returns the server's URL and the bucket's name.
func Bucket(t testing.TB) (endpoint, name string) {
	t.Helper()
	program := tooltest.Need(t, tooltest.VersityGW)
	server.once.Do(func() { server.err = start(program) })
	if server.err != nil {
		t.Fatalf("start an S3 server: %v", server.err)
	}
	server.mu.Lock()
	server.n++
	name = fmt.Sprintf("bucket-%d", server.n)
	server.mu.Unlock()
	if err := Client(t, Key, Secret).MakeBucket(t.Context(), name, minio.MakeBucketOptions{}); err != nil {
		t.Fatal(err)
	}
	return "http://" + server.address, name
}

// Client speaks to the server.
func Client(t testing.TB, key, secret string) *minio.Client {
	t.Helper()
	client, err := minio.New(server.address, &minio.Options{Creds: credentials.NewStaticV4(key, secret, ""), Region: Region})
	if err != nil {
		t.Fatal(err)
	}
	return client
}

func start(program string) (err error) {
	if server.dir, err = os.MkdirTemp("", "stellwerk-s3-"); err != nil {
		return err
	}
	buckets, notes := filepath.Join(server.dir, "buckets"), filepath.Join(server.dir, "notes")
	if err := errors.Join(os.Mkdir(buckets, 0o700), os.Mkdir(notes, 0o700)); err != nil {
		return err
	}
	if server.address, err = servertest.FreeAddress(); err != nil {
		return err
	}
	cmd := exec.Command(program, "--port", server.address, "posix", "--sidecar", notes, buckets)
	cmd.Dir, cmd.Env = server.dir, []string{"HOME=" + server.dir, "ROOT_ACCESS_KEY=" + Key, "ROOT_SECRET_KEY=" + Secret}
	if server.process, err = servertest.Start(cmd, syscall.SIGKILL, filepath.Join(server.dir, "log")); err != nil {
		return err
	}
	return server.process.Await(func(ctx context.Context) error {
		conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", server.address)
		if err != nil {
			return err
		}
		return conn.Close()
	})
}

// Stop ends the server of this process, if it runs, and removes its folder. It is for TestMain.
func Stop() {
	if server.process != nil {
		server.process.Kill()
	}
	if server.dir != "" {
		_ = os.RemoveAll(server.dir)
	}
}
