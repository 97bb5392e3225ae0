package egress

import (
	"encoding/binary"
	"errors"

	"golang.org/x/crypto/cryptobyte"
)

// maxHello bounds what a client may send before its ClientHello is complete.
const maxHello = 64 << 10

const (
	recordHandshake = 22
	majorVersion    = 3
	messageHello    = 1
	extensionSNI    = 0
	nameHost        = 0
	recordHeader    = 5
	maxRecord       = 1<<14 + 256
	handshakeHeader = 4
	helloRandom     = 2 + 32 // the version before it
)

// The errors of parseHello.
var (
	errIncomplete = errors.New("the TLS ClientHello is not complete")
	errNotTLS     = errors.New("not TLS")
	errBadHello   = errors.New("the TLS ClientHello cannot be read")
)

// parseHello returns the name that a ClientHello asks for, "" if it asks for none.
// The message may be spread over several records. errIncomplete asks for more
// bytes, and need says how many there must be in all before it is worth trying
// again; errNotTLS means that no TLS client begins like this.
func parseHello(data []byte) (name string, need int, err error) {
	var message []byte
	for start := 0; ; {
		rest := data[start:]
		if len(rest) > 0 && rest[0] != recordHandshake || len(rest) > 1 && rest[1] != majorVersion {
			if start == 0 {
				return "", 0, errNotTLS
			}
			return "", 0, errBadHello
		}
		if len(rest) < recordHeader {
			return "", len(data) + 1, errIncomplete
		}
		size := int(binary.BigEndian.Uint16(rest[3:]))
		if size == 0 || size > maxRecord {
			return "", 0, errBadHello
		}
		message = append(message, rest[recordHeader:min(len(rest), recordHeader+size)]...)
		whole, err := cutHello(message)
		if err == nil {
			name, err = helloName(whole)
			return name, 0, err
		}
		start += recordHeader + size
		if !errors.Is(err, errIncomplete) || start > len(data) {
			return "", start, err
		}
	}
}

// cutHello returns the body of the ClientHello that a handshake begins with.
func cutHello(message []byte) ([]byte, error) {
	if len(message) > 0 && message[0] != messageHello {
		return nil, errBadHello
	}
	if len(message) < handshakeHeader {
		return nil, errIncomplete
	}
	length := int(message[1])<<16 | int(message[2])<<8 | int(message[3])
	switch {
	case length > maxHello:
		return nil, errBadHello
	case len(message) < handshakeHeader+length:
		return nil, errIncomplete
	}
	return message[handshakeHeader : handshakeHeader+length], nil
}

// helloName reads the body of a ClientHello.
func helloName(body cryptobyte.String) (string, error) {
	var session, ciphers, compression, extensions cryptobyte.String
	if !body.Skip(helloRandom) || !body.ReadUint8LengthPrefixed(&session) ||
		!body.ReadUint16LengthPrefixed(&ciphers) || !body.ReadUint8LengthPrefixed(&compression) {
		return "", errBadHello
	}
	if body.Empty() {
		return "", nil // TLS from before there were extensions
	}
	if !body.ReadUint16LengthPrefixed(&extensions) || !body.Empty() {
		return "", errBadHello
	}
	name, seen := "", false
	for !extensions.Empty() {
		var kind uint16
		var content cryptobyte.String
		if !extensions.ReadUint16(&kind) || !extensions.ReadUint16LengthPrefixed(&content) {
			return "", errBadHello
		}
		if kind != extensionSNI {
			continue
		}
		if seen {
			return "", errBadHello // servers differ in which they take
		}
		seen = true
		var err error
		if name, err = serverName(content); err != nil {
			return "", err
		}
	}
	return name, nil
}

// serverName reads the extension, which may hold one name.
func serverName(content cryptobyte.String) (string, error) {
	var list, name cryptobyte.String
	var kind uint8
	if !content.ReadUint16LengthPrefixed(&list) || !content.Empty() ||
		!list.ReadUint8(&kind) || !list.ReadUint16LengthPrefixed(&name) || !list.Empty() || kind != nameHost || name.Empty() {
		return "", errBadHello
	}
	return string(name), nil
}
