package traffic

import (
	"net"
	"sync"
)

// connections knows the open connections by the address of their client, which
// is how a handler finds its own: behind HTTP/2 it cannot take it over.
type connections struct {
	mu   sync.Mutex
	open map[string]net.Conn
}

func newConnections() *connections {
	return &connections{open: map[string]net.Conn{}}
}

// cut closes the connection under all the layers, without a goodbye.
func (c *connections) cut(remote string) {
	c.mu.Lock()
	conn := c.open[remote]
	c.mu.Unlock()
	if conn != nil {
		_ = conn.Close() // already gone is as good
	}
}

func (c *connections) add(conn net.Conn) net.Conn {
	tracked := &trackedConn{Conn: conn, owner: c}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.open[conn.RemoteAddr().String()] = tracked
	return tracked
}

func (c *connections) remove(conn *trackedConn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	key := conn.RemoteAddr().String()
	// The client's port may be in use again by a later connection.
	if c.open[key] == conn {
		delete(c.open, key)
	}
}

type trackedConn struct {
	net.Conn
	owner *connections
}

func (t *trackedConn) Close() error {
	t.owner.remove(t)
	return t.Conn.Close()
}

// trackedListener hands out tracked connections.
type trackedListener struct {
	net.Listener
	owner *connections
}

func (l *trackedListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return l.owner.add(conn), nil
}
