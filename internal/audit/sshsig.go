package audit

import (
	"bytes"
	"crypto/rand"
	"crypto/sha512"
	"encoding/pem"
	"errors"
	"fmt"

	"golang.org/x/crypto/ssh"
)

// Namespace keeps a checkpoint's signature from counting for anything else: ssh-keygen -n.
const Namespace = "stellwerk-checkpoint"

const (
	armour    = "SSH SIGNATURE"
	hashName  = "sha512"
	sshsigTag = "SSHSIG"
)

// envelope is a signature as OpenSSH's PROTOCOL.sshsig has it.
type envelope struct {
	Magic     [6]byte
	Version   uint32
	PublicKey string
	Namespace string
	Reserved  string
	Hash      string
	Signature string
}

// signed is what the signature is of.
type signed struct {
	Magic     [6]byte
	Namespace string
	Reserved  string
	Hash      string
	Digest    string
}

func signedBytes(text []byte) []byte {
	digest := sha512.Sum512(text)
	return ssh.Marshal(signed{Magic: [6]byte([]byte(sshsigTag)), Namespace: Namespace, Hash: hashName, Digest: string(digest[:])})
}

// sign signs a text in the way of `ssh-keygen -Y sign`.
func (k Key) sign(text []byte) (string, error) {
	sig, err := k.signer.Sign(rand.Reader, signedBytes(text))
	if err != nil {
		return "", fmt.Errorf("sign a checkpoint: %w", err)
	}
	blob := ssh.Marshal(envelope{
		Magic: [6]byte([]byte(sshsigTag)), Version: 1, PublicKey: string(k.signer.PublicKey().Marshal()),
		Namespace: Namespace, Hash: hashName, Signature: string(ssh.Marshal(sig)),
	})
	return string(pem.EncodeToMemory(&pem.Block{Type: armour, Bytes: blob})), nil
}

// checkSignature verifies a signature of a text and returns the public key that made it. Whether that
// key counts is another question.
func checkSignature(text, signature string) (ssh.PublicKey, error) {
	block, rest := pem.Decode([]byte(signature))
	if block == nil || block.Type != armour || len(block.Headers) > 0 || len(bytes.TrimSpace(rest)) > 0 {
		return nil, errors.New("it has no signature that can be read")
	}
	var e envelope
	if err := ssh.Unmarshal(block.Bytes, &e); err != nil {
		return nil, fmt.Errorf("its signature cannot be read: %w", err)
	}
	if string(e.Magic[:]) != sshsigTag || e.Version != 1 || e.Hash != hashName || e.Reserved != "" {
		return nil, errors.New("its signature is of a kind that checkpoints do not have")
	}
	if e.Namespace != Namespace {
		return nil, fmt.Errorf("its signature was made for %.80q, not for checkpoints", e.Namespace)
	}
	key, err := ssh.ParsePublicKey([]byte(e.PublicKey))
	if err != nil {
		return nil, fmt.Errorf("the key of its signature cannot be read: %w", err)
	}
	if key.Type() != ssh.KeyAlgoED25519 {
		return nil, fmt.Errorf("it is signed with a key of type %s, not %s", key.Type(), ssh.KeyAlgoED25519)
	}
	var sig ssh.Signature
	if err := ssh.Unmarshal([]byte(e.Signature), &sig); err != nil {
		return nil, fmt.Errorf("its signature cannot be read: %w", err)
	}
	if err := key.Verify(signedBytes([]byte(text)), &sig); err != nil {
		return nil, errors.New("its signature is not of its content")
	}
	return key, nil
}
