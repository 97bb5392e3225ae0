package registry

import (
	"context"
	"errors"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync/atomic"
)

// wanting is a project that needs a crate. It is a workspace of its own, so that cargo looks at no folder above it.
const wanting = `[package]
name = "wanting"
version = "0.0.0"
[lib]
path = "none.rs"
[dependencies]
any = "*"
[workspace]
`

// cargoDefault is the address of the index that cargo uses if it is set to nothing. Cargo prints it nowhere, so cargo is
// made to ask for it, by way of a proxy on loopback that notes the first request and refuses it. Nothing leaves this machine.
func cargoDefault(ctx context.Context, t tool) (string, error) {
	dir, err := os.MkdirTemp("", "stellwerk-cargo-")
	if err != nil {
		return "", err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	manifest := filepath.Join(dir, "Cargo.toml")
	if err := os.WriteFile(manifest, []byte(wanting), 0o600); err != nil {
		return "", err
	}
	var target atomic.Pointer[string]
	proxy, stop, err := refuse(ctx, func(host string) { target.CompareAndSwap(nil, &host) })
	if err != nil {
		return "", err
	}
	defer stop()
	asking := tool{environ: append(append([]string{}, t.environ...),
		"CARGO_HOME="+filepath.Join(dir, "home"), "CARGO_NET_OFFLINE=false", "CARGO_NET_RETRY=0", "CARGO_HTTP_PROXY=http://"+proxy)}
	_, err = asking.run(ctx, "cargo", "fetch", "--manifest-path", manifest)
	if host := target.Load(); host != nil {
		return "https://" + *host, nil
	}
	if err != nil {
		return "", err
	}
	return "", errors.New("it asked no registry")
}

// refuse is a proxy that hears what host it is asked for and connects to none. It listens at the address until stop.
func refuse(ctx context.Context, hear func(host string)) (address string, stop func(), err error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp4", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	server := &http.Server{ReadHeaderTimeout: answerTime, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		hear(r.Host)
		w.WriteHeader(http.StatusForbidden)
	})}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = server.Serve(listener) // until it is closed
	}()
	return listener.Addr().String(), func() {
		_ = server.Close()
		<-ended
	}, nil
}
