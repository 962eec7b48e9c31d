package lifecycle

import "github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"

// Desired is what an application is to be.
type Desired struct {
	// Repository, Package and Version say which bundle; Source is the rest of what
	// decides about its content, such as where the repository is and how it is reached.
	Repository, Package, Version string
	Source                       string
	// Settings are spec.settings as they are.
	Settings map[string]any
	// Maintenance: the objects are left to people.
	Maintenance bool
}

// Kind is what follows from a change.
type Kind string

// The kinds, from the least to the most.
const (
	Nothing     Kind = "nothing"
	Reconfigure Kind = "reconfigure"
	Replace     Kind = "update"
)

// Trigger says why an application is reconciled.
type Trigger string

// The triggers.
const (
	VersionChanged     Trigger = "VersionChanged"
	SettingsChanged    Trigger = "SettingsChanged"
	MaintenanceChanged Trigger = "MaintenanceChanged"
	HookValuesChanged  Trigger = "HookValuesChanged"
	DriftDetected      Trigger = "DriftDetected"
	DesiredChanged     Trigger = "DesiredStateChanged"
)

// Decision is what follows, and why.
type Decision struct {
	Kind     Kind
	Triggers []Trigger
}

// Decide compares what an application was to be (nil: it is new) with what it is to be.
func Decide(before *Desired, now Desired) Decision {
	if before == nil {
		return Decision{Replace, []Trigger{DesiredChanged}}
	}
	d := Decision{Kind: Nothing}
	add := func(kind Kind, trigger Trigger) {
		if d.Kind != Replace {
			d.Kind = kind
		}
		d.Triggers = append(d.Triggers, trigger)
	}
	if before.Repository != now.Repository || before.Package != now.Package || before.Version != now.Version {
		add(Replace, VersionChanged)
	}
	if before.Source != now.Source {
		add(Replace, DesiredChanged)
	}
	if !object.Equal(orEmpty(before.Settings), orEmpty(now.Settings)) {
		add(Reconfigure, SettingsChanged)
	}
	if before.Maintenance != now.Maintenance {
		add(Reconfigure, MaintenanceChanged)
	}
	return d
}

// orEmpty makes no settings the same as {}.
func orEmpty(settings map[string]any) map[string]any {
	if settings == nil {
		return map[string]any{}
	}
	return settings
}
