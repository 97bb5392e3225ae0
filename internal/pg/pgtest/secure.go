package pgtest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// SecureHost is the name that the certificate of a secure server is for. The server is at 127.0.0.1, too.
const SecureHost = "localhost"

// Secure is a server that lets its user in by TLS and with a password only.
type Secure struct {
	*Server
	User, Password, Database string
	Port                     string
	CA, OtherCA              string // files: the certificate of who signed the server's, and of somebody else of that name
}

// NewSecure starts a server of its own for t, and makes a database and a role that owns it.
func NewSecure(t testing.TB) *Secure {
	t.Helper()
	s := &Secure{Server: New(t), User: "ada", Password: "hunter2-" + rand.Text(), Database: "team"}
	folder := t.TempDir()
	s.CA, s.OtherCA = filepath.Join(folder, "ca.pem"), filepath.Join(folder, "other.pem")
	var err error
	if _, s.Port, err = net.SplitHostPort(s.address); err != nil {
		t.Fatal(err)
	}
	s.admin(t, fmt.Sprintf("CREATE ROLE %s LOGIN PASSWORD '%s'", s.User, s.Password))
	s.admin(t, fmt.Sprintf("CREATE DATABASE %s OWNER %s TEMPLATE template0", s.Database, s.User))
	s.Kill()
	_, _ = certificate(t, s.OtherCA, nil, nil)
	ca, key := certificate(t, s.CA, nil, nil)
	certificate(t, filepath.Join(s.dir, "server"), ca, key)
	rules := filepath.Join(s.dir, "pg_hba.conf")
	if err := os.WriteFile(rules, []byte("host all stellwerk samehost trust\nhostssl all all samehost scram-sha-256\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	own := filepath.Join(s.dir, "server")
	if s.user != nil {
		for _, file := range []string{own, rules} {
			if err := os.Chown(file, int(s.user.Uid), int(s.user.Gid)); err != nil {
				t.Fatal(err)
			}
		}
	}
	s.options = append(s.options, "-c", "ssl=on", "-c", "ssl_cert_file="+own, "-c", "ssl_key_file="+own, "-c", "hba_file="+rules)
	if err := s.Begin(); err != nil {
		t.Fatal(err)
	}
	return s
}

// certificate writes a certificate and its key to one file: of an authority, or signed by one.
func certificate(t testing.TB, file string, by *x509.Certificate, with *ecdsa.PrivateKey) (*x509.Certificate, *ecdsa.PrivateKey) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	c := &x509.Certificate{
		SerialNumber: big.NewInt(now.UnixNano()), Subject: pkix.Name{CommonName: "an authority of tests"},
		NotBefore: now.Add(-time.Hour), NotAfter: now.Add(24 * time.Hour), BasicConstraintsValid: true,
	}
	if by == nil {
		c.IsCA, c.KeyUsage = true, x509.KeyUsageCertSign
		by, with = c, key
	} else {
		c.Subject, c.DNSNames = pkix.Name{CommonName: SecureHost}, []string{SecureHost}
	}
	signed, err := x509.CreateCertificate(rand.Reader, c, by, key.Public(), with)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	text := append(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: signed}), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret})...)
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	if c, err = x509.ParseCertificate(signed); err != nil {
		t.Fatal(err)
	}
	return c, key
}
