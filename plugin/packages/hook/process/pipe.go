//go:build linux || darwin

package process

import (
	"io"
	"os"
	"time"
)

// pipeEnd is how long a pipe is still read after the group has ended. Only a
// process that left the group can hold it open.
const pipeEnd = 500 * time.Millisecond

// pipe reads one stream of a program into a capture.
type pipe struct {
	read, write *os.File
	into        *capture
	done        chan struct{} // closed when reading has ended; nil before started
}

func newPipe(limit int) (*pipe, error) {
	read, write, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	return &pipe{read: read, write: write, into: newCapture(limit)}, nil
}

// started closes our copy of the writing end and begins to read.
func (p *pipe) started() {
	p.write.Close()
	p.done = make(chan struct{})
	go func() {
		defer close(p.done)
		_, _ = io.Copy(p.into, onlyReader{p.read}) // ends with the pipe, or when drain closes it
	}()
}

// onlyReader hides that a file could copy itself by other means: all bytes have
// to pass the capture.
type onlyReader struct{ io.Reader }

// drain waits for the end of the stream, but not longer than pipeEnd.
func (p *pipe) drain() {
	select {
	case <-p.done:
	case <-time.After(pipeEnd):
		p.read.Close()
		<-p.done
	}
}

// captured may be called after drain.
func (p *pipe) captured() Captured { return p.into.captured() }

func (p *pipe) close() {
	p.write.Close()
	p.read.Close()
}
