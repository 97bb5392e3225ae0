package courier

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/exchange/wire"
	"github.com/stellwerk-dev/stellwerk/internal/shim"
)

// ToolSocket is where an attempt's tools find the engine, below the folder of the tools.
const ToolSocket = "tool.sock"

// toolsPrefix begins the name of a folder of tools that is not below its attempt's.
const toolsPrefix = "stellwerk-tools-"

// maxSocketPath is what every system takes as the name of a socket.
const maxSocketPath = 100

// toolFolder makes the folder of the attempt's tools: below its root, or with a link there in the temporary folder if a socket
// could not be named otherwise.
func toolFolder(root string) (string, error) {
	dir := filepath.Join(root, wire.ToolsName)
	if len(filepath.Join(dir, ToolSocket)) <= maxSocketPath {
		return dir, os.Mkdir(dir, 0o700)
	}
	short, err := os.MkdirTemp("", toolsPrefix)
	if err != nil {
		return "", fmt.Errorf("make the folder of the attempt's tools: %w", err)
	}
	return short, os.Symlink(short, dir)
}

// headerTime bounds how long a tool may take to begin a request.
const headerTime = 5 * time.Second

// serveTools leads the attempt's tools to an engine. They show the token that the agent was given; the courier's own is not
// added, so that nothing but the tools can be reached this way. A call that finds no engine breaks off, and its program
// tries again.
func (a *attempt) serveTools(ctx context.Context) (stop func() error, err error) {
	spec, err := shim.ReadSpec(a.root)
	if err != nil || spec.Tools == "" {
		return func() error { return nil }, err
	}
	target, err := url.Parse(a.client.base + wire.PathTools)
	if err != nil {
		return nil, fmt.Errorf("find the engine's tools: %w", err)
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "unix", filepath.Join(a.tools, ToolSocket))
	if err != nil {
		return nil, fmt.Errorf("open the socket of the attempt's tools: %w", err)
	}
	proxy := &httputil.ReverseProxy{
		Rewrite:      func(r *httputil.ProxyRequest) { r.SetURL(target) },
		Transport:    a.client.http.Transport,
		ErrorHandler: func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) },
	}
	server := &http.Server{Handler: proxy, ReadHeaderTimeout: headerTime}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	return func() error {
		err := server.Close()
		if ended := <-served; !errors.Is(ended, http.ErrServerClosed) {
			err = errors.Join(err, ended)
		}
		return err
	}, nil
}
