package plan

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/state"
)

// What is lost of a record is written again, though all objects are as wanted.
func TestRepairOfWhatIsLost(t *testing.T) {
	hash, err := object.Hasher{Key: []byte("the old one")}.Content(parsed(t, shopSecret+"\ndata: {k: b3Vycw==}"))
	require.NoError(t, err)
	tests := map[string]struct {
		key  []byte
		lost bool
		want string
	}{
		"nothing":                 {key: []byte("the old one")},
		"the bodies":              {key: []byte("the old one"), lost: true, want: "the record's copy of the last apply is lost"},
		"the key":                 {key: []byte{}, want: "the key of the record's hashes of Secrets is lost"},
		"the key may not be read": {},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			o := object.Object{Body: parsed(t, shopSecret+"\ndata: {k: b3Vycw==}")}
			p := Planner{Hasher: object.Hasher{Key: tt.key}}
			w := &wanted{recorded: true, out: &Object{Manifest: "m", Desired: o, Key: state.KeyOf("m", o), Op: OpNone}}
			w.entry = state.Entry{Key: w.out.Key, ContentHash: hash}
			require.NoError(t, p.hashAll([]*wanted{w}))
			require.Equal(t, tt.want, p.repair(Input{Manifest: "m", Record: &state.Record{BodiesLost: tt.lost}}, []*wanted{w}, nil))
		})
	}
}
