package temporal

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"

	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/sdk/converter"
	"google.golang.org/protobuf/proto"
)

// codec encrypts what passes the server, by AES-256 in GCM with a key of the fleet's.
type codec struct{ aead cipher.AEAD }

const encoding = "binary/encrypted"

func newCodec(key []byte) (converter.PayloadCodec, error) {
	sum := sha256.Sum256(append([]byte("council-fleet payloads\n"), key...))
	block, err := aes.NewCipher(sum[:])
	if err != nil {
		return nil, err
	}
	aead, err := cipher.NewGCM(block)
	return codec{aead}, err
}

// Encode encrypts payloads.
func (c codec) Encode(in []*commonpb.Payload) ([]*commonpb.Payload, error) {
	out := make([]*commonpb.Payload, len(in))
	for i, p := range in {
		plain, err := proto.Marshal(p)
		if err != nil {
			return nil, fmt.Errorf("encrypt: %w", err)
		}
		nonce := make([]byte, c.aead.NonceSize())
		_, _ = rand.Read(nonce) // it never fails
		out[i] = &commonpb.Payload{Metadata: map[string][]byte{"encoding": []byte(encoding)}, Data: c.aead.Seal(nonce, nonce, plain, nil)}
	}
	return out, nil
}

// Decode decrypts payloads. What is not encrypted is refused: nobody of this fleet has
// written it.
func (c codec) Decode(in []*commonpb.Payload) ([]*commonpb.Payload, error) {
	out := make([]*commonpb.Payload, len(in))
	for i, p := range in {
		size := c.aead.NonceSize()
		if string(p.GetMetadata()["encoding"]) != encoding || len(p.GetData()) < size {
			return nil, errors.New("decrypt: it is not encrypted with a key of this fleet")
		}
		plain, err := c.aead.Open(nil, p.GetData()[:size], p.GetData()[size:], nil)
		if err != nil {
			return nil, errors.New("decrypt: it is not encrypted with the key of this fleet")
		}
		out[i] = &commonpb.Payload{}
		if err := proto.Unmarshal(plain, out[i]); err != nil {
			return nil, fmt.Errorf("decrypt: %w", err)
		}
	}
	return out, nil
}
