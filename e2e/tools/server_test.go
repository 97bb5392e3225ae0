package tools

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/shim/shimtest"
)

// far is an HTTPS server outside the sandbox. Its address is not the loopback address that tools keep from proxies.
type far struct {
	host string // and port
	link string
	env  []string // by which tools trust it
}

func serve(t *testing.T, handler http.Handler) far {
	t.Helper()
	listener, err := net.Listen("tcp4", "127.0.0.2:0")
	if err != nil {
		t.Skipf("this machine has no second loopback address: %v", err)
	}
	authority, certificate := certify(t)
	server := httptest.NewUnstartedServer(handler)
	_ = server.Listener.Close()
	server.Listener, server.TLS = listener, &tls.Config{Certificates: []tls.Certificate{certificate}}
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // tools break handshakes off
	server.StartTLS()
	t.Cleanup(server.Close)
	f := far{host: listener.Addr().String(), link: "https://" + listener.Addr().String()}
	for _, name := range []string{"SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS", "CURL_CA_BUNDLE", "REQUESTS_CA_BUNDLE", "PIP_CERT", "CARGO_HTTP_CAINFO", "GIT_SSL_CAINFO"} {
		f.env = append(f.env, name+"="+authority)
	}
	return f
}

// farName is a name that certificates of far servers are good for.
const farName = "mirror.example.com"

// named is the server under a name, by way of a proxy such as a company has. Go takes no proxy to an address of loopback.
func (f far) named(t *testing.T) far {
	t.Helper()
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodConnect || r.Host != farName+":443" {
			http.Error(w, "nobody is there", http.StatusBadGateway)
			return
		}
		server, err := net.Dial("tcp4", f.host)
		if err != nil {
			t.Error(err)
			return
		}
		defer func() { _ = server.Close() }()
		client, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		_, _ = io.WriteString(client, "HTTP/1.1 200 OK\r\n\r\n")
		go func() {
			_, _ = io.Copy(server, client)
			_ = server.Close()
		}()
		_, _ = io.Copy(client, server) // until one of them has ended
		_ = client.Close()
	}))
	t.Cleanup(proxy.Close)
	return far{host: farName, link: "https://" + farName, env: append(slices.Clone(f.env), "HTTPS_PROXY="+proxy.URL, "NO_PROXY=", "no_proxy=")}
}

// certify makes an authority, in a file, and its certificate for 127.0.0.2 and a name.
func certify(t *testing.T) (file string, _ tls.Certificate) {
	t.Helper()
	sign := func(template, parent *x509.Certificate, key, signer *ecdsa.PrivateKey) []byte {
		raw, err := x509.CreateCertificate(rand.Reader, template, parent, key.Public(), signer)
		if err != nil {
			t.Fatal(err)
		}
		return raw
	}
	root := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "an authority of a test"}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), KeyUsage: x509.KeyUsageCertSign,
	}
	leaf := &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: "127.0.0.2"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 2)}, DNSNames: []string{farName},
		NotBefore: root.NotBefore, NotAfter: root.NotAfter, KeyUsage: x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	rootKey, leafKey := newKey(t), newKey(t)
	file = filepath.Join(t.TempDir(), "authority.pem")
	shimtest.Write(t, file, string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: sign(root, root, rootKey, rootKey)})))
	return file, tls.Certificate{Certificate: [][]byte{sign(leaf, root, leafKey, rootKey)}, PrivateKey: leafKey}
}

func newKey(t *testing.T) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}
