package yard

import (
	"crypto/sha1" //nolint:gosec // git's own names of objects
	"encoding/hex"
	"fmt"
)

// objectID is the name of an object.
type objectID [sha1.Size]byte

func (id objectID) String() string { return hex.EncodeToString(id[:]) }

func parseID(hash string) (id objectID, err error) {
	if len(hash) == 2*len(id) {
		_, err = hex.Decode(id[:], []byte(hash))
	} else {
		err = fmt.Errorf("it has %d digits", len(hash))
	}
	if err != nil {
		return id, fmt.Errorf("%.100q is not the name of an object: %w", hash, err)
	}
	return id, nil
}

// hashObject names an object.
func hashObject(kind string, content []byte) objectID {
	sum := sha1.New() //nolint:gosec // as above
	fmt.Fprintf(sum, "%s %d\x00", kind, len(content))
	sum.Write(content)
	return objectID(sum.Sum(nil))
}
