package remote

import (
	"context"
	"fmt"
	"net/url"
	"regexp"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/debug"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook/output"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/report"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/schema"
)

// withheld stands for a text that can't be cleaned.
const withheld = "what it said is not shown, as it can't be told what of it is secret (--show-secrets shows it)"

// guardOf masks what Deckhouse says of one application. It doesn't say which values are
// secret, so all texts among them are hidden; whatever has a key that sounds like a
// secret is taken out of all other texts.
func guardOf(show bool, i report.Instance) debug.Guard {
	return debug.Guard{Show: show, Strict: true, Hide: debug.Hide{Values: hideTexts, Secrets: secretsOf(i)}}
}

// guard is guardOf for a question about something else than the application itself, or
// about all of them.
func (p Platform) guard(ctx context.Context, q question) (debug.Guard, error) {
	if q.show {
		return debug.Guard{Show: true}, nil
	}
	all, err := p.all(ctx)
	if err != nil {
		return debug.Guard{}, fmt.Errorf("find out what is secret (--show-secrets goes without): %w", err)
	}
	g := debug.Guard{Strict: true, Hide: debug.Hide{Values: hideTexts}}
	for name, one := range all.Apps {
		if q.name == "" || q.name == name {
			g.Hide.Secrets = append(g.Hide.Secrets, secretsOf(one)...)
		}
	}
	return g, nil
}

// secrets are those of the application of a question; hidden tells that they can't be
// had.
func (p Platform) secrets(ctx context.Context, q question) (secrets []map[string]any, hidden bool) {
	guard, err := p.guard(ctx, q)
	return guard.Hide.Secrets, err != nil
}

// secretKey are keys that sound like a secret.
var secretKey = regexp.MustCompile(`(?i)pass|secret|token|credential|private|api_?-?key|access_?-?key|dockercfg|auth|dsn`)

// secretsOf are the credentials of the repository, and values with keys that sound like
// a secret.
func secretsOf(i report.Instance) []map[string]any {
	found := soundSecret(i.Values, nil)
	found = soundSecret(i.Status.Settings, found)
	for _, credential := range []string{i.Repository.Password, i.Repository.DockerConfig} {
		if credential != "" {
			found = append(found, credential)
		}
	}
	var all []map[string]any
	for _, one := range found {
		all = append(all, output.SecretOf(one))
	}
	return all
}

func soundSecret(value any, found []any) []any {
	switch v := value.(type) {
	case map[string]any:
		for key, inner := range v {
			if secretKey.MatchString(key) {
				found = append(found, passwordOf(inner))
				continue
			}
			found = soundSecret(inner, found)
		}
	case []any:
		for _, inner := range v {
			found = soundSecret(inner, found)
		}
	}
	return found
}

// passwordOf is the password of a URL that has one, else all of a value: what else is in
// a URL is in many harmless texts, too.
func passwordOf(value any) any {
	text, _ := value.(string)
	where, err := url.Parse(text)
	if err != nil || where.User == nil {
		return value
	}
	if password, has := where.User.Password(); has {
		return password
	}
	return value
}

// hideTexts copies values without their texts, and without what is below a key that
// sounds like a secret.
func hideTexts(values map[string]any) map[string]any {
	hidden, _ := hideText(values).(map[string]any)
	return hidden
}

func hideText(value any) any {
	switch v := value.(type) {
	case map[string]any:
		copied := make(map[string]any, len(v))
		for key, inner := range v {
			if _, text := inner.(string); !text && inner != nil && secretKey.MatchString(key) {
				inner = schema.Masked
			}
			copied[key] = hideText(inner)
		}
		return copied
	case []any:
		copied := make([]any, len(v))
		for i, inner := range v {
			copied[i] = hideText(inner)
		}
		return copied
	case string:
		if v == "" {
			return v
		}
		return schema.Masked
	}
	return value
}
