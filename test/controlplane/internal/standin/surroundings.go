package standin

import (
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
)

// surroundings are what a local process finds in place of a container's own file
// system and network, so that the same arguments work here and there and many
// Pods get on with each other on one machine.
type surroundings struct {
	// dir is the working directory of the process.
	dir string
	// mounts lead from paths of emptyDir volumes to directories of this machine.
	mounts map[string]string
	// address is what the process listens on.
	address string
}

// surround makes the directories of the volumes of a Pod's first container below dir.
func surround(pod *corev1.Pod, dir string) (surroundings, error) {
	around := surroundings{dir: dir, mounts: map[string]string{}, address: ProcessAddress(addressOf(pod.UID))}
	for _, mount := range pod.Spec.Containers[0].VolumeMounts {
		i := slices.IndexFunc(pod.Spec.Volumes, func(v corev1.Volume) bool { return v.Name == mount.Name && v.EmptyDir != nil })
		if i < 0 {
			continue
		}
		// Short, as the path of a socket has to be.
		path := filepath.Join(dir, fmt.Sprintf("v%d", i), filepath.FromSlash(mount.SubPath))
		if err := os.MkdirAll(path, 0o700); err != nil {
			return surroundings{}, fmt.Errorf("make volume %s: %w", mount.Name, err)
		}
		around.mounts[strings.TrimSuffix(mount.MountPath, "/")] = path
	}
	return around, nil
}

// ProcessAddress is where what listens on all addresses of a Pod's local process is
// found on this machine. Only Linux has more loopback addresses than one without
// being told.
func ProcessAddress(podIP string) string {
	address, err := netip.ParseAddr(podIP)
	if err != nil || !address.Is4() || runtime.GOOS != "linux" {
		return nodeAddress
	}
	octets := address.As4()
	octets[0] = 127
	return netip.AddrFrom4(octets).String()
}

// everyAddress is what servers are told to listen on all addresses.
var everyAddress = regexp.MustCompile(`^:[0-9]+$`)

// args are a command line as it has to be here.
func (s surroundings) args(args []string) []string {
	translated := make([]string, 0, len(args))
	for _, arg := range args {
		flag, value, both := strings.Cut(arg, "=")
		if both && strings.HasPrefix(flag, "-") {
			translated = append(translated, flag+"="+s.text(value))
			continue
		}
		translated = append(translated, s.text(arg))
	}
	return translated
}

// env are variables, NAME=VALUE, as they have to be here. The search path is one of this
// machine, also where a volume is mounted at the beginning of it.
func (s surroundings) env(variables []string) []string {
	translated := make([]string, 0, len(variables))
	for _, variable := range variables {
		name, value, _ := strings.Cut(variable, "=")
		if name == "PATH" {
			translated = append(translated, variable)
			continue
		}
		translated = append(translated, name+"="+s.text(value))
	}
	return translated
}

// text replaces a path in a volume, or an address that stands for all.
func (s surroundings) text(text string) string {
	if everyAddress.MatchString(text) {
		return s.address + text
	}
	longest := ""
	for mount := range s.mounts {
		if len(mount) > len(longest) && (text == mount || strings.HasPrefix(text, mount+"/")) {
			longest = mount
		}
	}
	if longest == "" {
		return text
	}
	return s.mounts[longest] + strings.TrimPrefix(text, longest)
}

// around tells of the surroundings and variables of a Pod's local process, if it has
// one that was started.
func (p *processes) around(uid types.UID) (surroundings, []string, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	own, found := p.running[uid]
	if !found || own.env == nil {
		return surroundings{}, nil, false
	}
	return own.around, own.env, true
}
