package state

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
)

const (
	// Namespace holds every object of this package.
	Namespace = "tazuna"

	statePrefix = "tazuna-state-"
	bodyPrefix  = "tazuna-record-"
	lockPrefix  = "tazuna-lock-"

	// maxDerived leaves room for a shard's suffix below the API server's 253.
	maxDerived = 240
	// keptOfLongName is how much of a long manifest name stays readable.
	keptOfLongName = 180
	// digitsOfLongName is how much of its SHA-256, in hex, keeps it unique.
	digitsOfLongName = 16
	// maxObjectName is the API server's limit for the names of our kinds.
	maxObjectName = 253
)

// ValidateManifest refuses a manifest name that cannot name a record: other than
// lower-case letters, digits and "-", beginning and ending with a letter or digit.
// Dots are refused because they would name another manifest's shard.
func ValidateManifest(name string) error {
	strange := strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789-")
	if name != "" && strange == "" && name[0] != '-' && name[len(name)-1] != '-' {
		return nil
	}
	return fmt.Errorf("manifest name %q: wanted lower-case letters, digits and \"-\", "+
		"beginning and ending with a letter or digit", name)
}

// StateName returns the name of the ConfigMap that is shard 0 of a manifest's
// record.
func StateName(manifest string) string { return derivedName(statePrefix, manifest) }

// BodiesName returns the name of the Secret with the last-applied bodies.
func BodiesName(manifest string) string { return derivedName(bodyPrefix, manifest) }

// LockName returns the name of the Lease.
func LockName(manifest string) string { return derivedName(lockPrefix, manifest) }

// derivedName is prefix + manifest, cut and made unique by a hash where it would
// be too long. Whoever needs the full name takes it from the annotation.
func derivedName(prefix, manifest string) string {
	if len(prefix)+len(manifest) <= maxDerived {
		return prefix + manifest
	}
	sum := sha256.Sum256([]byte(manifest))
	return prefix + manifest[:keptOfLongName] + "-" + hex.EncodeToString(sum[:])[:digitsOfLongName]
}

// originalName is the name the original tool gives the ConfigMap, which it does
// not cut; empty where it is the same as ours or the API server refuses it.
func originalName(manifest string) string {
	name := statePrefix + manifest
	if name == StateName(manifest) || len(name) > maxObjectName {
		return ""
	}
	return name
}

// shardName returns the name of the i-th part of an object; part 0 has the plain
// name.
func shardName(base string, i int) string {
	if i == 0 {
		return base
	}
	return base + "." + strconv.Itoa(i)
}

// splitShardName undoes shardName. Manifest names hold no dot.
func splitShardName(name string) (base string, shard int, ok bool) {
	base, suffix, found := strings.Cut(name, ".")
	if !found {
		return name, 0, true
	}
	n, err := strconv.Atoi(suffix)
	if err != nil || n < 1 || strconv.Itoa(n) != suffix {
		return name, 0, false
	}
	return base, n, true
}
