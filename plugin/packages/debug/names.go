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

// similar lists names that share a part with the wanted one, those first that share the
// most: one within the other, the instance, how it begins, the namespace.
func similar(name string, known []string) []string {
	namespace, instance, _ := strings.Cut(name, ".")
	shared := map[string]int{}
	var near []string
	for _, k := range slices.Sorted(slices.Values(known)) {
		kNamespace, kInstance, _ := strings.Cut(k, ".")
		switch {
		case kInstance == instance, kInstance == name, strings.Contains(k, name), kInstance != "" && strings.Contains(name, kInstance):
			shared[k] = len(name) + 1
		case kNamespace == namespace && namespace != "":
			shared[k] = beginsAlike(kInstance, instance)
		default:
			continue
		}
		near = append(near, k)
	}
	slices.SortStableFunc(near, func(a, b string) int { return shared[b] - shared[a] })
	return near
}

// beginsAlike is how many bytes two texts have in common at their beginning.
func beginsAlike(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}
