// Package s3 keeps the bytes of objects in a bucket of an S3 server, under PREFIX/DIGEST/UPLOAD; which upload is the object, the index
// in PostgreSQL says. It must not list the bucket to find out what is there, must not overwrite a key, and does not know what the
// bytes mean.
package s3

import (
	"bytes"
	"cmp"
	"context"
	"io"
	"net/http"
	"net/url"
	"path"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/object/indexed"
)

// Config says which bucket, where, and as whom.
type Config struct {
	Bucket, Prefix string
	Endpoint       string // a URL
	Region         string
	Credentials    *credentials.Credentials
	Transport      http.RoundTripper // nil for the usual one
	Attempts       int               // how often a request is sent at most, with pauses; 0 for ten times
	Part           uint64            // bytes of a part, at least 5 MiB; what is larger is sent in parts. 0 for 16 MiB
	Silence        time.Duration     // 0 for Silence
}

// Read reads an address such as s3://bucket/prefix. Everything else comes from where users of S3 expect it: AWS_ENDPOINT_URL_S3 or
// AWS_ENDPOINT_URL, AWS_REGION or AWS_DEFAULT_REGION; keys from the AWS variables, the shared credentials file, or the machine's role.
func Read(address string, getenv func(string) string) (Config, error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "s3" || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return Config{}, core.Errorf(core.CodeInvalid, "the address of the bucket cannot be read").
			WithHint("write it as s3://BUCKET/PREFIX; keys belong in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY or the shared credentials file, a server that is not Amazon's in AWS_ENDPOINT_URL_S3")
	}
	first := func(names ...string) string {
		for _, name := range names[:len(names)-1] {
			if value := getenv(name); value != "" {
				return value
			}
		}
		return names[len(names)-1]
	}
	return Config{
		Bucket: u.Host, Prefix: strings.Trim(path.Clean("/"+u.Path), "/"),
		Endpoint: first("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL", "https://s3.amazonaws.com"),
		Region:   first("AWS_REGION", "AWS_DEFAULT_REGION", "us-east-1"),
		Credentials: credentials.NewChainCredentials([]credentials.Provider{
			&credentials.EnvAWS{}, &credentials.FileAWSCredentials{}, machine(credentialsWithin),
		}),
	}, nil
}

// credentialsWithin is for how long whoever gives out the credentials of a machine may take.
const credentialsWithin = 10 * time.Second

// machine asks for the credentials that the machine, the container or the pod has.
func machine(within time.Duration) credentials.Provider {
	return &credentials.IAM{Client: &http.Client{Timeout: within}}
}

// Open opens objects whose index is in a database that a store has opened. It stores, reads and removes something in the bucket first,
// so that wrong credentials are said at once. A Put gathers what does not fit into memory in the folder spool, "" for the system's.
func Open(ctx context.Context, pool *pgxpool.Pool, spool string, c Config) (*indexed.Objects, error) {
	b, err := connect(c)
	if err != nil {
		return nil, err
	}
	const word = "stellwerk was here"
	probe := indexed.Upload{ID: uuid.NewString(), Digest: "probe", Size: int64(len(word))}
	if err := b.Write(ctx, probe, io.NewSectionReader(bytes.NewReader([]byte(word)), 0, probe.Size)); err != nil {
		return nil, err
	}
	if err := b.Remove(ctx, probe); err != nil {
		return nil, err
	}
	return indexed.New(pool, b.place, spool, b), nil
}

func connect(c Config) (*bucket, error) {
	place := "s3://" + path.Join(c.Bucket, c.Prefix)
	u, err := url.Parse(c.Endpoint)
	if err != nil || u.Host == "" || u.User != nil || u.Scheme != "http" && u.Scheme != "https" {
		return nil, core.Errorf(core.CodeInvalid, "the address of the S3 server cannot be read").WithHint("write it as https://HOST:PORT in AWS_ENDPOINT_URL_S3")
	}
	if strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "" {
		return nil, core.Errorf(core.CodeInvalid, "%s is more than the address of an S3 server: buckets of a server are found at its root", c.Endpoint).
			WithHint("write it as %s://%s in AWS_ENDPOINT_URL_S3; if the server is reached only below a path, give it a host name of its own", u.Scheme, u.Host)
	}
	way, err := c.way(u.Scheme == "https")
	if err != nil {
		return nil, err
	}
	client, err := minio.New(u.Host, &minio.Options{
		Creds: c.Credentials, Secure: u.Scheme == "https", Region: c.Region, Transport: way, MaxRetries: c.Attempts,
	})
	if err != nil {
		return nil, core.Wrap(core.CodeInvalid, err, place+" cannot be used", "check the address of the server and the name of the bucket")
	}
	key, err := c.Credentials.GetWithContext(client.CredContext())
	if err != nil || key.AccessKeyID == "" {
		return nil, core.Wrap(core.CodeUnavailable, err, "there are no credentials for "+place,
			"set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or write them into the shared credentials file (~/.aws/credentials)")
	}
	return &bucket{client: client, name: c.Bucket, prefix: c.Prefix, place: place, part: c.Part}, nil
}

// way is how requests get to the server.
func (c Config) way(secure bool) (http.RoundTripper, error) {
	w := &watched{RoundTripper: c.Transport, silence: cmp.Or(c.Silence, Silence)}
	if c.Transport != nil {
		return w, nil
	}
	usual, err := minio.DefaultTransport(secure)
	if err != nil {
		return nil, err
	}
	usual.ResponseHeaderTimeout = 0 // silence is watched for in one place
	w.RoundTripper = usual
	return w, nil
}
