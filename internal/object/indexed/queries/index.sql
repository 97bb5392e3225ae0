-- name: Find :one
SELECT upload, size FROM objects WHERE place = sqlc.arg(place) AND digest = sqlc.arg(digest);

-- name: Touch :one
UPDATE objects SET touched = clock_timestamp() WHERE place = sqlc.arg(place) AND digest = sqlc.arg(digest) RETURNING upload, size;

-- name: Page :many
SELECT digest, size, touched FROM objects WHERE place = sqlc.arg(place) AND digest > sqlc.arg(after) ORDER BY digest LIMIT sqlc.arg(most);

-- name: Begin :exec
INSERT INTO object_uploads (upload, place, digest, size, at) VALUES (sqlc.arg(upload), sqlc.arg(place), sqlc.arg(digest), sqlc.arg(size), clock_timestamp());

-- name: Name :execrows
WITH mine AS (DELETE FROM object_uploads WHERE object_uploads.upload = sqlc.arg(upload) AND swept IS NULL RETURNING upload, place, digest, size)
INSERT INTO objects (place, digest, upload, size, touched) SELECT place, digest, upload, size, clock_timestamp() FROM mine
ON CONFLICT (place, digest) DO UPDATE SET upload = excluded.upload, size = excluded.size, touched = excluded.touched;

-- name: Discard :one
WITH gone AS (
    DELETE FROM objects o WHERE o.place = sqlc.arg(place) AND o.digest = sqlc.arg(digest)
        AND o.touched < least(sqlc.arg(before)::timestamptz, clock_timestamp() - make_interval(secs => sqlc.arg(young)::float8)) RETURNING 1)
SELECT (EXISTS (SELECT 1 FROM gone) OR NOT EXISTS (SELECT 1 FROM objects o WHERE o.place = sqlc.arg(place) AND o.digest = sqlc.arg(digest)))::boolean AS gone;

-- name: Sweep :many
UPDATE object_uploads u SET swept = coalesce(u.swept, clock_timestamp()) WHERE u.upload IN (
    SELECT s.upload FROM object_uploads s WHERE s.place = sqlc.arg(place) AND s.at < clock_timestamp() - make_interval(secs => sqlc.arg(young)::float8)
        AND (s.swept IS NULL OR s.swept < clock_timestamp() - make_interval(secs => sqlc.arg(young)::float8))
    ORDER BY s.at LIMIT sqlc.arg(most) FOR UPDATE SKIP LOCKED)
RETURNING u.upload, u.digest, u.size;

-- name: Forget :exec
DELETE FROM object_uploads WHERE upload = sqlc.arg(upload) AND swept < clock_timestamp() - make_interval(secs => sqlc.arg(young)::float8);
