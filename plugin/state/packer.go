package state

import (
	"bytes"
	"compress/gzip"
	"fmt"
)

// flushEvery is how much plain text may go in before the compressed size is
// looked at. Each look costs a few bytes of output.
const flushEvery = 64 << 10

// packer spreads entries over gzipped documents of a bounded size.
type packer struct {
	limit  int
	packed [][]byte

	out     *bytes.Buffer
	zip     *gzip.Writer
	entries int
	// pending is the text whose compressed size is not known yet.
	pending int
}

// fits tells whether an entry can stand in a document at all.
func (p *packer) fits(entry []byte) bool {
	return len(entry) <= p.limit || gzippedSize(entry) <= p.limit
}

// add appends an entry, in a new document if it might not fit into this one.
func (p *packer) add(entry []byte) error {
	if err := p.makeRoom(entry); err != nil {
		return err
	}
	if p.zip == nil {
		p.out = &bytes.Buffer{}
		p.zip = gzip.NewWriter(p.out) // no name, no time: the same entries give the same bytes
		if _, err := fmt.Fprintf(p.zip, `{"format":%d,"entries":[`, bodiesFormat); err != nil {
			return err
		}
	}
	if p.entries > 0 {
		entry = append([]byte(",\n"), entry...)
	}
	p.entries++
	p.pending += len(entry)
	_, err := p.zip.Write(entry)
	return err
}

// makeRoom ends the document if the entry might take it over the limit.
func (p *packer) makeRoom(entry []byte) error {
	if p.zip == nil {
		return nil
	}
	size := packedSize(entry)
	if p.pending >= flushEvery || p.out.Len()+p.pending+size > p.limit {
		if err := p.zip.Flush(); err != nil {
			return err
		}
		p.pending = 0
	}
	if p.out.Len()+size > p.limit {
		return p.end()
	}
	return nil
}

// packedSize is a bound of what an entry adds to a document: its length if it is
// short, else what it compresses to.
func packedSize(entry []byte) int {
	if len(entry) <= flushEvery {
		return len(entry)
	}
	return gzippedSize(entry)
}

func gzippedSize(entry []byte) int {
	var out bytes.Buffer
	zip := gzip.NewWriter(&out)
	_, _ = zip.Write(entry) // a buffer takes everything
	_ = zip.Close()
	return out.Len()
}

// end completes the current document.
func (p *packer) end() error {
	if _, err := p.zip.Write([]byte("]}")); err != nil {
		return err
	}
	if err := p.zip.Close(); err != nil {
		return err
	}
	p.packed = append(p.packed, p.out.Bytes())
	p.out, p.zip, p.entries, p.pending = nil, nil, 0, 0
	return nil
}

// finish returns the documents; none if there was no entry.
func (p *packer) finish() ([][]byte, error) {
	if p.zip == nil {
		return p.packed, nil
	}
	err := p.end()
	return p.packed, err
}
