package state

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

const (
	// bodiesFormat is raised when older versions would misread the document.
	bodiesFormat = 1
	// bodiesLimit is how much compressed text one Secret holds. The API server
	// takes 1 MiB.
	bodiesLimit = 900 << 10
	// bodiesMaxPlain bounds what is unpacked from one Secret, so that a damaged or
	// hostile one cannot exhaust memory. Text compresses at most 1000 times.
	bodiesMaxPlain = 1 << 30
)

// bodyEntry is an Entry as it stands in the bodies Secret.
type bodyEntry struct {
	Key             string          `json:"key"`
	ContentHash     string          `json:"contentHash"`
	UID             string          `json:"uid,omitempty"`
	ResourceVersion string          `json:"resourceVersion,omitempty"`
	InputKey        string          `json:"inputKey,omitempty"`
	Order           int             `json:"order,omitempty"`
	Awaited         bool            `json:"awaited,omitempty"`
	Hidden          []object.Path   `json:"hidden,omitempty"`
	Body            json.RawMessage `json:"body,omitempty"`
}

// bodiesDocument is the text of one Secret before compression.
type bodiesDocument struct {
	Format  int         `json:"format"`
	Entries []bodyEntry `json:"entries"`
}

// errDamagedBodies says that bodies are not in the form that any version writes: they
// are as good as lost.
var errDamagedBodies = errors.New("damaged")

// decodeBodies unpacks the text of one Secret.
func decodeBodies(packed []byte) ([]bodyEntry, error) {
	unzip, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, fmt.Errorf("unpacking the bodies: %w: %w", errDamagedBodies, err)
	}
	plain, err := io.ReadAll(io.LimitReader(unzip, bodiesMaxPlain+1))
	if err != nil {
		return nil, fmt.Errorf("unpacking the bodies: %w: %w", errDamagedBodies, err)
	}
	if len(plain) > bodiesMaxPlain {
		return nil, fmt.Errorf("unpacking the bodies: more than %d MiB", bodiesMaxPlain>>20)
	}
	var doc bodiesDocument
	if err := json.Unmarshal(plain, &doc); err != nil {
		return nil, fmt.Errorf("reading the bodies: %w: not the JSON they were written as", errDamagedBodies) // err may quote a value
	}
	if doc.Format != bodiesFormat {
		return nil, fmt.Errorf("reading the bodies: format %d, this version knows format %d", doc.Format, bodiesFormat)
	}
	return doc.Entries, nil
}

// fill completes the record's entries. A body of another content than the
// ConfigMap's is of an apply whose end was not recorded, and does not count.
func (r *Record) fill(found []bodyEntry, lazy bool) {
	at := make(map[string]int, len(r.Entries))
	for i, e := range r.Entries {
		at[e.Key.String()] = i
	}
	for _, b := range found {
		i, ok := at[b.Key]
		if !ok || b.ContentHash == "" || r.Entries[i].ContentHash != b.ContentHash {
			continue
		}
		e := &r.Entries[i]
		e.UID, e.ResourceVersion, e.InputKey, e.Order, e.Hidden = b.UID, b.ResourceVersion, b.InputKey, b.Order, b.Hidden
		e.Awaited = b.Awaited
		e.packed = b.Body
		if !lazy {
			e.Body, e.packed = e.LastApplied(), nil
		}
	}
}

// encodeBodies packs the entries, which are in state key order, into as few
// texts as the limit allows, none for no entries. The result depends on the
// entries only. It also
// names the objects whose body was left out, and why.
func encodeBodies(entries []Entry, limit int) (packed [][]byte, notes []string, err error) {
	p := packer{limit: limit}
	for _, e := range entries {
		text, note, err := encodeBody(e)
		if err != nil {
			return nil, nil, err
		}
		if !p.fits(text) {
			note = fmt.Sprintf("the last-applied body of %s is not recorded: it is too large", e.Key.Ref())
			e.Body, e.packed = nil, nil
			if text, _, err = encodeBody(e); err != nil {
				return nil, nil, err
			}
		}
		if note != "" {
			notes = append(notes, note)
		}
		if err := p.add(text); err != nil {
			return nil, nil, fmt.Errorf("packing the bodies: %w", err)
		}
	}
	if packed, err = p.finish(); err != nil {
		return nil, nil, fmt.Errorf("packing the bodies: %w", err)
	}
	return packed, notes, nil
}

// encodeBody writes one entry, without its body where that may not be stored.
func encodeBody(e Entry) (text []byte, note string, err error) {
	b := bodyEntry{
		Key: e.Key.String(), ContentHash: e.ContentHash, UID: e.UID,
		ResourceVersion: e.ResourceVersion, InputKey: e.InputKey, Order: e.Order, Hidden: e.Hidden, Awaited: e.Awaited,
	}
	switch {
	case e.Body == nil:
		b.Body = e.packed // as it was stored
	case !storable(e.Body, e.Hidden):
		note = fmt.Sprintf("the last-applied body of %s is not recorded: it holds values that nobody may see", e.Key.Ref())
	default:
		if b.Body, err = object.EncodeJSON(e.Body); err != nil {
			return nil, "", fmt.Errorf("recording %s: %w", e.Key.Ref(), err)
		}
	}
	text, err = object.EncodeJSON(b)
	if err != nil {
		return nil, "", fmt.Errorf("recording %s: %w", e.Key.Ref(), err)
	}
	return text, note, nil
}
