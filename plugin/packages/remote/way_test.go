package remote

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/debug"
)

func TestChoose(t *testing.T) {
	broken := errors.New("connection refused")
	for name, c := range map[string]struct {
		wanted Way
		here   map[Way]bool
		fails  Way
		want   Way
		asked  []Way
		err    string
	}{
		"the socket first":          {here: map[Way]bool{Socket: true, Exec: true, Deckhouse: true}, want: Socket, asked: []Way{Socket}},
		"then a Pod":                {here: map[Way]bool{Exec: true, Deckhouse: true}, want: Exec, asked: []Way{Socket, Exec}},
		"then Deckhouse":            {here: map[Way]bool{Deckhouse: true}, want: Deckhouse, asked: []Way{Socket, Exec, Deckhouse}},
		"wanted":                    {wanted: Deckhouse, here: map[Way]bool{Socket: true, Deckhouse: true}, want: Deckhouse, asked: []Way{Deckhouse}},
		"wanted, and not there":     {wanted: Exec, here: map[Way]bool{Socket: true}, asked: []Way{Exec}, err: "nobody by exec"},
		"there and can't be asked":  {fails: Exec, here: map[Way]bool{Deckhouse: true}, asked: []Way{Socket, Exec}, err: "connection refused"},
		"nobody, with every reason": {asked: []Way{Socket, Exec, Deckhouse}, err: `no controller of packages was found (socket: nobody by socket; exec: nobody by exec; deckhouse: nobody by deckhouse): start one with "packages controller"`},
	} {
		t.Run(name, func(t *testing.T) {
			var asked []Way
			looks := map[Way]Look{}
			for _, way := range Ways() {
				looks[way] = func(context.Context) (debug.Transport, error) {
					asked = append(asked, way)
					switch {
					case c.fails == way:
						return nil, broken
					case !c.here[way]:
						return nil, &AbsentError{Way: way, Why: "nobody by " + string(way)}
					}
					return debug.Socket{Path: string(way)}, nil
				}
			}
			got, err := Choose(t.Context(), c.wanted, looks)
			assert.Equal(t, c.asked, asked)
			if c.err != "" {
				require.ErrorContains(t, err, c.err)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, debug.Socket{Path: string(c.want)}, got)
		})
	}
}

func TestParseWay(t *testing.T) {
	for _, name := range append(Names(), "") {
		way, err := ParseWay(name)
		require.NoError(t, err)
		assert.Equal(t, Way(name), way)
	}
	_, err := ParseWay("ssh")
	require.EqualError(t, err, `wanted socket, exec, deckhouse, found "ssh"`)
}
