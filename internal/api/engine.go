package api

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
)

// Backup names the file a backup is written to.
type Backup struct {
	Path string `json:"path"`
}

func registerEngine(api huma.API, svc Service) {
	register(api, operation(api, "trust", http.MethodPost, "/v1/trust", "Look at, or trust, what a repository would have obeyed"),
		func(ctx context.Context, in *struct{ Body Trust }) (Trusted, error) {
			out, err := svc.Trust(ctx, in.Body)
			out.Files = notNil(out.Files)
			return out, err
		})
	register(api, operation(api, "import", http.MethodPost, "/v1/import", "Rebuild a run from its folder"),
		func(ctx context.Context, in *struct{ Body Import }) (Imported, error) {
			return svc.Import(ctx, in.Body)
		})
	register(api, operation(api, "replay", http.MethodGet, "/v1/runs/{run}/replay", "Derive a run again from its events"),
		func(ctx context.Context, in *RunPath) (Replay, error) { return svc.Replay(ctx, in.Run) })
	register(api, operation(api, "backup", http.MethodPost, "/v1/backup", "Write a backup on the engine's machine"),
		func(ctx context.Context, in *struct{ Body Backup }) (Backup, error) {
			return in.Body, svc.Backup(ctx, in.Body.Path)
		})
	register(api, operation(api, "info", http.MethodGet, "/v1/info", "Ask the engine about itself"),
		func(ctx context.Context, _ *struct{}) (Info, error) { return svc.Info(ctx) })
}
