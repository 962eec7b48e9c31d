package bundle

import (
	"regexp"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook/document"
)

var (
	imageName   = regexp.MustCompile(`^[a-z][a-zA-Z0-9]*$`)
	imageDigest = regexp.MustCompile(`^sha256:[a-f0-9]{64}$`)
)

// ParseDigests reads images_digests.json: one mapping of names to digests, in JSON.
func ParseDigests(data []byte, file string) (map[string]string, []Finding) {
	r, value, findings := openDocument(data, file, document.OneJSON)
	if r == nil {
		return nil, findings
	}
	mapping, ok := value.(map[string]any)
	if !ok {
		r.Found("", "wanted a mapping, found %s", document.KindOf(value))
		return nil, r.findings()
	}
	digests := make(map[string]string, len(mapping))
	for _, name := range sortedKeys(mapping) {
		digest := r.Text(mapping[name], name)
		if _, isText := mapping[name].(string); isText && !imageDigest.MatchString(digest) {
			r.Found(name, "wanted sha256: and 64 digits from 0 to f, found %q", digest)
		}
		if !imageName.MatchString(name) {
			r.warn(name, "is no name in camelCase, so templates can't say .Images.NAME")
		}
		digests[name] = digest
	}
	return digests, r.findings()
}
