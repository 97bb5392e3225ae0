-- name: Document :one
SELECT version, at, data FROM documents WHERE kind = ? AND key = ?;

-- name: Documents :many
SELECT key, version, at, data FROM documents
WHERE kind = sqlc.arg(kind) AND key >= sqlc.arg(least) AND key > sqlc.arg(after) AND key < sqlc.arg(beyond)
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
