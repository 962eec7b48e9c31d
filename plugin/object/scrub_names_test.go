package object

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A name of which a piece is hidden would tell that a secret holds the piece.
func TestScrubLeavesNames(t *testing.T) {
	secret := func(value string) map[string]any {
		return map[string]any{
			"apiVersion": "v1", "kind": "Secret", "metadata": map[string]any{"name": "shop-login", "namespace": "storefront"},
			"stringData": map[string]any{"password": value},
		}
	}
	tests := map[string]struct{ value, text, want string }{
		"a piece of the name":      {"my-shop-pass", `Secret "shop-login" is invalid`, `Secret "shop-login" is invalid`},
		"a piece of the namespace": {"upstore", `secrets "x" in namespace "storefront"`, `secrets "x" in namespace "storefront"`},
		"a piece of the key":       {"wordpass", `data.password: Invalid value`, `data.password: Invalid value`},
		"a quote that holds the name": {
			"be shop-login now", `Invalid value: "be shop-login now"`, `Invalid value: "<hidden>"`,
		},
		"the name as a part of more": {"xshop-login", `Invalid value: "xshop-login"`, `Invalid value: "<hidden>"`},
		"the name as the value":      {"shop-login", `Invalid value: "shop-login"`, `Invalid value: "<hidden>"`},
		"a word with digits":         {"not base64 at all", "error: illegal base64 data", "error: illegal base64 data"},
		"a piece beside the name":    {"hunter2", `shop-login: hunter2`, `shop-login: <hidden>`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, tt.want, Scrub(tt.text, secret(tt.value)))
		})
	}
}
