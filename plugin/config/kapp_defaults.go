package config

import _ "embed"

// defaultsName stands for the built-in rules where rules say where they are from.
const defaultsName = "built-in rules"

//go:embed kapp_defaults.yaml
var defaultsText string

// DefaultKappConfig returns the rules that hold without any configuration. They
// are a document like a user's own. The error can't happen in a build whose
// tests pass.
func DefaultKappConfig() (KappConfig, error) {
	return ParseKappConfig([]byte(defaultsText), defaultsName)
}

// DefaultKappConfigText returns the same as the document it is written in, with
// its comments, for people.
func DefaultKappConfigText() string { return defaultsText }
