package state

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

const (
	// HashKeyName is the Secret with the key of the hashes of masked values.
	HashKeyName = "tazuna-hash-key"
	hashKeyData = "key"
	hashKeySize = 32
)

// ErrNoHashKey is returned when there is no hash key and none was asked to be
// made. If one existed before, every hash made with it is of no use any more.
var ErrNoHashKey = errors.New("Secret " + Namespace + "/" + HashKeyName + " does not exist")

// HashKey returns the key for content hashes of masked kinds: 32 random bytes.
// With create it makes the key if there is none; of two runs that do so at once
// both get the same one.
//
// Without create a missing key is ErrNoHashKey, and the key returned with it is
// empty but not nil: a Hasher with it knows that no hash can be right, so that
// entries made with a lost key are modified. After any other error the key is
// nil: it is not known whether there is one, and such entries are unknown.
func (s *Store) HashKey(ctx context.Context, create bool) ([]byte, error) {
	u, err := s.Client.Get(ctx, secrets(), Namespace, HashKeyName)
	switch {
	case err == nil:
		return readHashKey(u)
	case !apierrors.IsNotFound(err):
		return nil, fmt.Errorf("reading the key for hashes of Secrets: %w", err)
	case !create:
		return []byte{}, ErrNoHashKey
	}
	key := make([]byte, hashKeySize)
	if _, err := io.ReadFull(s.rand(), key); err != nil {
		return nil, fmt.Errorf("making the key for hashes of Secrets: %w", err)
	}
	_, _, err = s.create(ctx, secrets(), hashKeyBody(key))
	if apierrors.IsAlreadyExists(err) {
		if u, err = s.Client.Get(ctx, secrets(), Namespace, HashKeyName); err == nil {
			return readHashKey(u)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("making the key for hashes of Secrets: %w", err)
	}
	return key, nil
}

// hashKeyBody is immutable: another key under the same name would make every
// recorded Secret look modified.
func hashKeyBody(key []byte) map[string]any {
	return map[string]any{
		"apiVersion": "v1",
		"kind":       "Secret",
		"metadata":   map[string]any{"name": HashKeyName, "namespace": Namespace},
		"immutable":  true,
		"data":       map[string]any{hashKeyData: base64.StdEncoding.EncodeToString(key)},
	}
}

func readHashKey(u *unstructured.Unstructured) ([]byte, error) {
	text, _, _ := unstructured.NestedString(u.Object, "data", hashKeyData)
	key, err := base64.StdEncoding.DecodeString(text)
	if err != nil || len(key) != hashKeySize {
		return nil, errDamagedHashKey
	}
	return key, nil
}

var errDamagedHashKey = errors.New("Secret " + Namespace + "/" + HashKeyName + ": wanted 32 bytes under data key \"" +
	hashKeyData + "\", found something else; delete it to have a new one made, " +
	"after which every recorded Secret counts as modified once")
