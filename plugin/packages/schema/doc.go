// Package schema says what settings and values of an application package may be:
// it reads openapi/settings.yaml and openapi/values.yaml, fills in defaults, and
// holds values against them.
//
// # Flow
//
//	settings.yaml ─┐
//	               ├─ Load: read ─ x-extend ─ nodes ─ closed ─► Set{Settings, Values} + Findings
//	values.yaml  ──┘
//
//	Schema.Default(values)            fills in what is not there
//	Schema.Validate(values, Check)    types, forbidden properties, CEL rules
//	Schema.Frozen(old, new)           fields that can't be changed any more
//	Schema.Grants, Granted            fields that name a resource of the project
//	Schema.Mask(values)               what may be shown
//	Schema.Example(), Published()     guessed settings; what a catalogue is told
//
// A Schema is immutable after Load, and all compiling is done there: one that
// loads without an Error finding can be used for anything. It takes milliseconds
// and, mostly for its rules, some hundred kilobytes: instances of one version of a
// package share theirs.
//
// # What a schema is
//
// OpenAPI v3: JSON schema of draft 4 with nullable, checked by a JSON schema
// library. On top of it, as the platform does it:
//
//   - x-extend in values.yaml lays the schema over that of the settings: the child
//     wins, required is the union. Only settings.yaml can be extended.
//   - An object that says nothing about additionalProperties has none: the whole,
//     and in properties, items and definitions. Below patternProperties and
//     additionalProperties nothing is closed by itself, and a branch of allOf,
//     anyOf, oneOf or not only where it says "type: object", since branches mostly
//     restrict an object that is declared outside.
//   - default counts where the object around it is there; also under
//     patternProperties, additionalProperties and items, not in branches. null in
//     the place of a value that can't be null is no value.
//   - x-deckhouse-validations [{expression, message}] and
//     x-kubernetes-validations [{rule, message, …}] are CEL, compiled by the
//     libraries of the API server with the types of the schema. Where the types
//     don't fit, one of the former is compiled without types and with all numbers
//     as double, which is how the platform itself sees them; and of those alone,
//     one that asks for a key that is not there holds. A rule with oldSelf is for
//     changes only.
//   - x-deckhouse-immutable, x-deckhouse-grantable-resource, x-example, x-examples,
//     x-required-for-helm (required when templates are rendered).
//   - format: password, writeOnly: true and x-secret: true mark a secret.
//
// # Invariants
//
//   - No function changes its arguments, and none does IO.
//   - Numbers are int64 where they fit, else json.Number: those of package object.
//     An integer of more than 64 bits is a fault, and so is a number that no float64
//     holds: another one would go on in its place.
//   - A fault names the path of the value, what was wanted, what kind of thing was
//     found, and file and line of the schema; never the value itself. The message
//     of a rule is its author's; one that is computed from values
//     (messageExpression) is used only where nothing below is marked as secret.
//   - Unknown keywords of a schema are findings: a misspelt one would check nothing.
//     So are rules that hold here and fail on the platform, and settings that the
//     schema of values leaves out.
//   - Verdicts are those of Kubernetes' validator of OpenAPI, defaults those of its
//     structural schemas where both can be said; tests hold them together on random
//     schemas.
package schema
