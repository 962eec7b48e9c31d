package object

import (
	"encoding/base64"
	"encoding/json"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzMask puts random secrets into every place that is masked and holds that
// no 4 bytes of one come out, raw or as base64, of the masked copies or of a
// scrubbed error text.
func FuzzMask(f *testing.F) {
	for seed := range uint64(100) {
		f.Add(seed, uint8(seed))
	}
	f.Fuzz(func(t *testing.T, seed uint64, shape uint8) {
		g := secretGenerator{random: rand.New(rand.NewPCG(seed, 1))}
		before, after := g.object(int(shape)), g.object(int(shape))
		b, a := DefaultMasker().Pair(before, after)
		requireNoRun(t, encoded(t, b)+encoded(t, a), g.secrets)

		whole, err := json.Marshal(before)
		require.NoError(t, err)
		for _, text := range g.errorTexts(string(whole)) {
			requireNoRun(t, Scrub(text, before, after), g.secrets)
		}
		if h := (Hasher{Key: make([]byte, 32)}); isSecret(before) {
			keyed, err := h.Keyed(before)
			require.NoError(t, err)
			requireNoRun(t, encoded(t, keyed), g.secrets)
		}
	})
}

// ours is what stands in the place of secrets; hexadecimal digits may well be
// four of a secret's by chance.
var ours = regexp.MustCompile(`hmac:[0-9a-f]{64}|<-- value not shown \(#\d+\)|<hidden>`)

func requireNoRun(t *testing.T, text string, secrets []string) {
	t.Helper()
	text = ours.ReplaceAllString(text, " ")
	for _, secret := range secrets {
		for _, form := range []string{secret, strings.TrimRight(base64.StdEncoding.EncodeToString([]byte(secret)), "=")} {
			for i := 0; i+4 <= len(form); i++ {
				if strings.Contains(text, form[i:i+4]) {
					t.Fatalf("%q of the secret %q is in:\n%s", form[i:i+4], secret, text)
				}
			}
		}
	}
}

// secretGenerator makes objects that are full of secrets and remembers them.
type secretGenerator struct {
	random  *rand.Rand
	secrets []string
}

// secret is made of letters that neither our marks nor server messages hold in
// a row, so that every run found is a leak.
func (g *secretGenerator) secret() string {
	const letters = "QZXJ#7984ÄÖ\"\\\n<%"
	runes := []rune(letters)
	var out strings.Builder
	for range 4 + g.random.IntN(20) {
		out.WriteRune(runes[g.random.IntN(len(runes))])
	}
	g.secrets = append(g.secrets, out.String())
	return out.String()
}

func (g *secretGenerator) base64() string {
	text := base64.StdEncoding.EncodeToString([]byte(g.secret()))
	if g.random.IntN(3) == 0 {
		return text[:len(text)/2] + "\n" + text[len(text)/2:]
	}
	return text
}

// value is a secret in a shape that may be wrong for its place.
func (g *secretGenerator) value() any {
	switch g.random.IntN(8) {
	case 0:
		return map[string]any{"inner": g.secret()}
	case 1:
		return []any{g.secret(), map[string]any{"inner": g.base64()}}
	case 2:
		return g.base64()
	default:
		return g.secret()
	}
}

func (g *secretGenerator) values() any {
	if g.random.IntN(6) == 0 {
		return g.value()
	}
	return map[string]any{"one": g.value(), "two": g.value()}
}

func (g *secretGenerator) plainSecret() map[string]any {
	body := map[string]any{
		"apiVersion": "v1", "kind": "Secret", "type": "Opaque",
		"metadata":   map[string]any{"name": "x", "namespace": "default"},
		"stringData": g.values(),
		"data":       g.values(),
	}
	if data, ok := body["data"].(map[string]any); ok {
		data["coded"] = g.base64()
	}
	return body
}

// object returns one of the shapes in which secrets travel.
func (g *secretGenerator) object(shape int) map[string]any {
	if shape%10 == 7 {
		annotations := map[string]any{"werf.io/sensitive-paths": "$.spec.users[*].password"}
		return map[string]any{
			"apiVersion": "x.io/v1", "kind": "App", "metadata": map[string]any{"annotations": annotations},
			"spec": map[string]any{"users": []any{map[string]any{"password": g.value()}}},
		}
	}
	secret := g.plainSecret()
	switch shape % 10 {
	case 0:
		return secret
	case 1:
		return map[string]any{"apiVersion": "v1", "kind": "List", "items": []any{secret, g.plainSecret()}}
	case 2:
		delete(secret, "kind")
		return map[string]any{"apiVersion": "v1", "kind": "SecretList", "items": []any{secret}}
	case 3:
		former, _ := json.Marshal(secret)
		annotations := map[string]any{"kubectl.kubernetes.io/last-applied-configuration": string(former), "kapp.k14s.io/original": string(former)}
		return map[string]any{"apiVersion": "v1", "kind": "Secret", "metadata": map[string]any{"name": "x", "annotations": annotations}}
	case 4:
		secret["stringdata"] = g.values()
		secret["Data"] = g.values()
		return secret
	case 5:
		delete(secret, "kind")
		return secret
	case 6:
		return map[string]any{"apiVersion": "x.io/v1", "kind": "Work", "spec": map[string]any{"manifests": []any{secret}}}
	case 8:
		return map[string]any{"apiVersion": "v1", "kind": "List", "items": []any{map[string]any{"apiVersion": "v1", "kind": "List", "items": []any{secret}}}}
	default:
		secret["kind"] = "secret"
		return secret
	}
}

// errorTexts are what servers say about what they were sent.
func (g *secretGenerator) errorTexts(whole string) []string {
	from := g.random.IntN(len(whole))
	to := from + g.random.IntN(len(whole)-from)
	texts := []string{
		`Secret "x" is invalid: ` + whole,
		`error found in #10 byte of ...|` + whole[from:to] + `|...`,
	}
	secret := g.secrets[g.random.IntN(len(g.secrets))]
	texts = append(
		texts,
		`Invalid value: "`+secret+`": must be valid`,
		"illegal base64 data: "+base64.StdEncoding.EncodeToString([]byte(secret)),
	)
	return texts
}
