package pg

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
)

// untrusted is what is wrong with the certificate that a server shows; nil if it is not that which keeps it from being used.
func untrusted(err error) error {
	if failed, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return failed.Err
	}
	return nil
}

func trustHint(err error) string {
	if _, another := errors.AsType[x509.HostnameError](untrusted(err)); another {
		return "it is for another name: write that name into the address, or have the server show a certificate for this one"
	}
	return "if it is the right server, name the certificate of the authority that signed its own: sslrootcert=FILE in the address, or PGSSLROOTCERT"
}
