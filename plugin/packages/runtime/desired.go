package runtime

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/api"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/bundle"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/lifecycle"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/render"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/schedule"
)

// Desired is what an Application asks for.
type Desired struct {
	Namespace, Name string
	// Repository is the name of the PackageRepository, Registry how it is reached.
	Repository string
	Registry   api.RegistrySpec
	Package    string
	Version    string
	// Settings are spec.settings as they are; nil: none are given.
	Settings    map[string]any
	Maintenance bool
	// Applied are the effective settings that the Application's status tells of the last
	// apply, and AppliedVersion its version: what this process doesn't know after a
	// restart. They are no part of what is asked for.
	Applied        map[string]any
	AppliedVersion string
}

// InstanceName is NAMESPACE.NAME.
func (d Desired) InstanceName() string { return api.InstanceName(d.Namespace, d.Name) }

// asked is what decides about what follows from a change.
func (d Desired) asked() lifecycle.Desired {
	return lifecycle.Desired{
		Repository: d.Repository, Package: d.Package, Version: d.Version, Source: d.source(),
		Settings: d.Settings, Maintenance: d.Maintenance,
	}
}

// source names how the repository is reached, without telling it.
func (d Desired) source() string {
	data, err := json.Marshal(d.Registry)
	if err != nil {
		return d.Registry.Repo // a struct of texts: it can't fail
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// registry is what templates see of the repository.
func (d Desired) registry() render.Registry {
	r := d.Registry
	return render.Registry{Repository: r.Repo, DockerConfig: r.DockerCfg, Login: r.Login, Password: r.Password, Scheme: r.Scheme, CA: r.CA}
}

// Facts are what requirements are held against.
type Facts struct {
	// Kubernetes and Platform are versions; empty: not known.
	Kubernetes, Platform string
	// Bootstrapped tells whether the cluster is up.
	Bootstrapped bool
	// Modules are those that are enabled, with their versions.
	Modules map[string]string
	// Needs are the modules that modules require, with ranges of versions.
	Needs map[string]map[string]string
}

func (f Facts) nodes() []schedule.Node {
	var all []schedule.Node
	for name, version := range f.Modules {
		all = append(all, moduleNode(name, version, f.Needs[name]))
	}
	return all
}

// moduleNode is what the scheduler knows of a module. One whose requirements can't be
// read counts as disabled.
func moduleNode(name, version string, needs map[string]string) schedule.Node {
	n := schedule.Node{Kind: schedule.Module, Name: name, Version: version}
	for _, other := range slices.Sorted(maps.Keys(needs)) {
		wanted, err := bundle.ParseConstraint(needs[other])
		if err != nil {
			n.Disabled = fmt.Sprintf("properties.requirements.modules.%s: %s", other, err)
			continue
		}
		n.Requirements.Mandatory = append(n.Requirements.Mandatory, bundle.ModuleRequirement{Name: other, Constraint: wanted})
	}
	return n
}
