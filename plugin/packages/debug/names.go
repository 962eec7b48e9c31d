package debug

import (
	"fmt"
	"slices"
	"strings"
)

// mostNames bounds the names that are suggested.
const mostNames = 5

// Unknown says that there is no such application, and which may be meant.
func Unknown(name string, known []string) string {
	if len(known) == 0 {
		return fmt.Sprintf("application %q not found: this controller has none", name)
	}
	near := similar(name, known)
	if len(near) == 0 {
		near = slices.Sorted(slices.Values(known))
	}
	more := ""
	if len(near) > mostNames {
		near, more = near[:mostNames], ", …"
	}
	return fmt.Sprintf("application %q not found; there is %s%s", name, strings.Join(near, ", "), more)
}

// similar lists names that share a part with the wanted one: its namespace, its
// instance, or one within the other.
func similar(name string, known []string) []string {
	namespace, instance, _ := strings.Cut(name, ".")
	var near []string
	for _, k := range slices.Sorted(slices.Values(known)) {
		kNamespace, kInstance, _ := strings.Cut(k, ".")
		if kInstance == instance || kInstance == name || kNamespace == namespace && namespace != "" ||
			strings.Contains(k, name) || kInstance != "" && strings.Contains(name, kInstance) {
			near = append(near, k)
		}
	}
	return near
}
