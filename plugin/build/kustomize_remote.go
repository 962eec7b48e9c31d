package build

import (
	"path/filepath"
	"regexp"
	"strings"
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
	if user == "" {
		return false
	}
	host := path[len(user):]
	return strings.Contains(host, ":") || strings.Contains(host, "git") || strings.Count(host, "/") >= 2 || strings.Contains(host, "//")
}
