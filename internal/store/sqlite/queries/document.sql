-- name: Document :one
SELECT version, at, data FROM documents WHERE kind = ? AND key = ?;

-- name: Documents :many
SELECT key, version, at, data FROM documents
WHERE kind = CAST(sqlc.arg(kind) AS TEXT) AND key >= CAST(sqlc.arg(least) AS TEXT) AND key > CAST(sqlc.arg(after) AS TEXT) AND key < CAST(sqlc.arg(beyond) AS TEXT)
ORDER BY key LIMIT CAST(sqlc.arg(most) AS INTEGER);

-- name: NextDocumentVersion :one
UPDATE document_versions SET last = last + 1 RETURNING last;

-- name: MakeDocument :execrows
INSERT INTO documents (kind, key, version, at, data) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING;

-- name: ReplaceDocument :execrows
UPDATE documents SET version = sqlc.arg(version), at = sqlc.arg(at), data = sqlc.arg(data)
WHERE kind = sqlc.arg(kind) AND key = sqlc.arg(key) AND version = sqlc.arg(seen);

-- name: DeleteDocument :execrows
DELETE FROM documents WHERE kind = ? AND key = ? AND version = ?;
