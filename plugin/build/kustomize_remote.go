package build

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// remote tells whether kustomize might fetch path from a network or run git for
// it. It errs on the side of yes for text with a scheme; plain relative paths are
// never remote.
//
// kustomize takes for remote: the schemes http, https, ssh and file, a host
// github.com, user@host with a repository path behind, and all of these after
// "git::".
func remote(path string) bool {
	if filepath.IsAbs(path) {
		return false
	}
	path = strings.ToLower(path)
	switch {
	case strings.Contains(path, "://"), strings.HasPrefix(path, "git::"):
		return true
	case regexp.MustCompile(`^(https?|ssh|file):`).MatchString(path):
		return true
	case strings.HasPrefix(path, "github.com/"), strings.HasPrefix(path, "github.com:"):
		return true
	}
	user := regexp.MustCompile(`^[a-z][a-z0-9-]*@`).FindString(path)
	return user != "" && isRepository(path[len(user):])
}

// isRepository tells host and repository from the rest of a directory's name that
// happens to have an @ in it.
func isRepository(path string) bool {
	return strings.Contains(path, ":") || strings.Contains(path, "//") ||
		strings.Contains(path, "git") || strings.Count(path, "/") >= 2
}

// local tells whether a path is one that kustomize reads from the disk; others
// are refused, or left to it.
func (k kustomization) local(n *yaml.Node, path string) bool {
	if !remote(path) {
		return true
	}
	if k.fetched {
		k.credentials = append(k.credentials, credentials(path)...)
		return false
	}
	k.refuse(n, withoutPassword(path)+": remote files and bases are not fetched without --remote-bases; copy it beside the kustomization, or have it fetched on every run")
	return false
}

// credentials gives the part of a URL that names a user, with its @; none if there is
// no password in it.
func credentials(url string) []string {
	_, rest, _ := strings.Cut(url, "://")
	host, _, _ := strings.Cut(rest, "/")
	if at := strings.LastIndex(host, "@"); at >= 0 && strings.Contains(host[:at], ":") {
		return []string{host[:at+1]}
	}
	return nil
}

// withoutPassword takes the credentials out of a URL.
func withoutPassword(url string) string {
	scheme, rest, found := strings.Cut(url, "://")
	host, path, _ := strings.Cut(rest, "/")
	if at := strings.LastIndex(host, "@"); found && at >= 0 {
		return scheme + "://" + host[at+1:] + "/" + path
	}
	return url
}

// paths looks for keys that name files, at any depth.
func (k kustomization) paths(n *yaml.Node) {
	k.pathsBelow(n, map[*yaml.Node]bool{})
}

func (k kustomization) pathsBelow(n *yaml.Node, seen map[*yaml.Node]bool) {
	n = target(n)
	if seen[n] {
		return
	}
	seen[n] = true
	for i, c := range n.Content {
		k.pathsBelow(c, seen)
		if n.Kind == yaml.MappingNode && i%2 == 1 && slices.Contains(pathKeys(), folded(n.Content[i-1].Value)) {
			k.path(target(c))
		}
	}
}

// pathKeys are the keys, in lower case, under which kustomize and its built-in
// plugins look for files.
func pathKeys() []string {
	return []string{"path", "paths", "files", "env", "envs", "valuesfile", "additionalvaluesfiles"}
}

// path checks a path or a list of them; generators write KEY=PATH.
func (k kustomization) path(n *yaml.Node) {
	each(n, k.path)
	if n.Kind != yaml.ScalarNode {
		return
	}
	path := n.Value
	if _, after, keyed := strings.Cut(path, "="); keyed && !remote(path) {
		path = after
	}
	k.local(n, path)
}
