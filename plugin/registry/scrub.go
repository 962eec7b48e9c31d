package registry

import (
	"encoding/base64"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// hidden stands for what was taken out of a text.
const hidden = "<hidden>"

// shortestSecret is the length from which a secret is looked for in texts: a
// shorter one is part of too many words.
const shortestSecret = 4

var (
	// addressQuery finds the query of an address: that of a signed address lets
	// anyone fetch what it leads to.
	addressQuery = regexp.MustCompile(`(https?://[^\s"'?]+)\?[^\s"']*`)
	// addressUser finds credentials within an address.
	addressUser = regexp.MustCompile(`(https?://)[^\s"'/@]+@`)
	// authorization finds a header that was quoted.
	authorization = regexp.MustCompile(`(?i)\b(bearer|basic)\s+[a-z0-9._~+/=-]{16,}`)
)

// remember notes what error texts must not hold.
func (c *Client) remember(secrets ...string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range secrets {
		if len(s) >= shortestSecret && !slices.Contains(c.secrets, s) {
			c.secrets = append(c.secrets, s)
		}
	}
}

// longestText bounds what of a server's words is repeated.
const longestText = 600

// scrub makes a text of a server or of the library fit to be printed: without
// secrets, on one line, without what steers a terminal, and not too long.
func (c *Client) scrub(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, c.withoutSecrets(text))
	if runes := []rune(text); len(runes) > longestText {
		text = string(runes[:longestText]) + "…"
	}
	return text
}

func (c *Client) withoutSecrets(text string) string {
	text = addressQuery.ReplaceAllString(text, "$1?"+hidden)
	text = addressUser.ReplaceAllString(text, "$1"+hidden+"@")
	text = authorization.ReplaceAllString(text, "$1 "+hidden)
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range c.secrets {
		for _, form := range []string{
			s, url.QueryEscape(s), url.PathEscape(s),
			base64.StdEncoding.EncodeToString([]byte(s)), base64.URLEncoding.EncodeToString([]byte(s)),
		} {
			text = strings.ReplaceAll(text, form, hidden)
		}
	}
	return text
}
