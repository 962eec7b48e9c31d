package home

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
)

// Ports come from below the usual ephemeral range: a stopped control plane must
// find its ports free when it starts again, and outgoing connections of other
// programs would take ephemeral ones in the meantime.
const (
	firstPort    = 20000
	portCount    = 10000
	portAttempts = 200
)

// freePorts picks n distinct free loopback ports. All are held open until the
// last one is found, so the same port is never given twice.
func freePorts(n int) ([]int, error) {
	ports := make([]int, 0, n)
	var held []net.Listener
	defer func() {
		for _, l := range held {
			_ = l.Close() // nothing was accepted on it
		}
	}()
	for range portAttempts {
		port := firstPort + rand.IntN(portCount)
		listener, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
		if err != nil {
			continue
		}
		held = append(held, listener)
		ports = append(ports, port)
		if len(ports) == n {
			return ports, nil
		}
	}
	return nil, errors.New("find free ports: too many tried ports were taken")
}
