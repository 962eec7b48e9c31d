package helmfile

import (
	"net"
	"net/mail"
	"net/netip"
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/Masterminds/semver/v3"
)

// maxHostname is the longest name of a host, in bytes (RFC 1123).
const maxHostname = 253

// formats tell what a string has to look like, by the names that a hint file uses.
func formats() map[string]func(string) bool {
	return map[string]func(string) bool{
		"hostname": isHostname,
		"url": func(s string) bool {
			u, err := url.ParseRequestURI(s)
			return err == nil && u.Scheme != ""
		},
		"email": func(s string) bool {
			a, err := mail.ParseAddress(s)
			return err == nil && a.Address == s
		},
		"ip":   func(s string) bool { return net.ParseIP(s) != nil },
		"cidr": func(s string) bool { _, err := netip.ParsePrefix(s); return err == nil },
		"uuid": regexp.MustCompile(`^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`).MatchString,
		"semver": func(s string) bool {
			_, err := semver.StrictNewVersion(strings.TrimPrefix(s, "v"))
			return err == nil
		},
		"datetime": func(s string) bool { _, err := time.Parse(time.RFC3339, s); return err == nil },
	}
}

func isHostname(s string) bool {
	label := regexp.MustCompile(`^[a-zA-Z0-9]([a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?$`)
	for part := range strings.SplitSeq(s, ".") {
		if !label.MatchString(part) {
			return false
		}
	}
	return len(s) <= maxHostname
}
