package s3

import (
	"context"
	"errors"
	"io"
	"net/http"
	"path"

	"github.com/minio/minio-go/v7"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/object/indexed"
)

// bucket implements indexed.Bytes.
type bucket struct {
	client *minio.Client
	name   string
	prefix string
	place  string
	part   uint64
}

func (b *bucket) key(u indexed.Upload) string { return path.Join(b.prefix, u.Digest, u.ID) }

// Write implements indexed.Bytes. The client sends a request again that failed in passing, after a pause.
func (b *bucket) Write(ctx context.Context, u indexed.Upload, r *io.SectionReader) error {
	ctx, end := operate(ctx)
	defer end()
	_, err := b.client.PutObject(ctx, b.name, b.key(u), r, u.Size, minio.PutObjectOptions{ContentType: "application/octet-stream", PartSize: b.part})
	if err != nil && code(err) != minio.NoSuchUpload { // which is no failure if the answer to the end of an upload in parts was lost
		return b.explain(ctx, err)
	}
	stored, lookErr := b.client.StatObject(ctx, b.name, b.key(u), minio.StatObjectOptions{})
	switch {
	case lookErr == nil && stored.Size == u.Size:
		return nil
	case err != nil:
		return b.explain(ctx, err)
	case lookErr != nil && !missing(lookErr):
		return b.explain(ctx, lookErr)
	}
	return core.Errorf(core.CodeUnavailable, "%s does not have what it acknowledged: %d of %d bytes are there", b.place, stored.Size, u.Size).
		WithHint("look at the server's log; store the object again")
}

// Open implements indexed.Bytes.
func (b *bucket) Open(ctx context.Context, u indexed.Upload) (io.ReadSeekCloser, error) {
	return &reader{ctx: ctx, bucket: b, upload: u}, nil
}

// Remove implements indexed.Bytes. A list of uploads in parts may be late: it may lack one, which Sweep removes a day later, and it may
// have some that are gone.
func (b *bucket) Remove(ctx context.Context, u indexed.Upload) error {
	ctx, end := operate(ctx)
	defer end()
	key := b.key(u)
	for parts := range b.client.ListIncompleteUploads(ctx, b.name, key, true) {
		err := parts.Err
		if err == nil && parts.Key == key {
			err = minio.Core{Client: b.client}.AbortMultipartUpload(ctx, b.name, key, parts.UploadID)
		}
		if err != nil && !missing(err) {
			return b.explain(ctx, err)
		}
	}
	err := b.client.RemoveObject(ctx, b.name, key, minio.RemoveObjectOptions{})
	if missing(err) {
		return nil
	}
	return b.explain(ctx, err)
}

func missing(err error) bool { return code(err) == minio.NoSuchKey || code(err) == minio.NoSuchUpload }

// code is what the server answered; "" if it was not the server.
func code(err error) string {
	var answer minio.ErrorResponse
	if errors.As(err, &answer) {
		return answer.Code
	}
	return ""
}

// explain says in words for a person what keeps a bucket from being used. The context is the operation's.
func (b *bucket) explain(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	if ended := ctx.Err(); ended != nil {
		if !errors.Is(context.Cause(ctx), errSilent) {
			return errors.Join(ended, err)
		}
		err = errSilent
	}
	says, hint := diagnose(err)
	if passing(err) {
		err = core.Away(err)
	}
	return core.Wrap(core.CodeUnavailable, err, b.place+" "+says, hint)
}

// passing reports a failure that the same request, sent again, may not meet: no server answers, or it cannot serve for now.
func passing(err error) bool {
	var answer minio.ErrorResponse
	return !errors.As(err, &answer) || answer.StatusCode >= http.StatusInternalServerError || answer.StatusCode == http.StatusTooManyRequests
}

func diagnose(err error) (says, hint string) {
	switch code(err) {
	case minio.NoSuchBucket:
		return "is in a bucket that does not exist", "make the bucket, or name another"
	case minio.InvalidAccessKeyID, minio.SignatureDoesNotMatch, "InvalidToken", "ExpiredToken", "TokenRefreshRequired":
		return "refuses the credentials", "check AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or the shared credentials file"
	case minio.AccessDenied, "AllAccessDisabled":
		return "does not give these credentials enough rights",
			"allow s3:GetObject, s3:PutObject, s3:DeleteObject, s3:AbortMultipartUpload and s3:ListBucketMultipartUploads"
	case "AuthorizationHeaderMalformed", "PermanentRedirect", "IllegalLocationConstraintException":
		return "is in another region", "set AWS_REGION to the bucket's"
	case "RequestTimeTooSkewed":
		return "has another time than this machine", "set the clock of one of them"
	case "SlowDown", "SlowDownWrite", "SlowDownRead", "Throttling", "ThrottlingException", "RequestLimitExceeded", "RequestThrottled", "TooManyRequests":
		return "asks for fewer requests", "try again later; ask who runs it for a higher limit"
	case "":
		return "does not answer", "check the address of the server (AWS_ENDPOINT_URL_S3), and that it runs and lets this machine in"
	}
	return "refuses a request", "look at the server's log"
}
