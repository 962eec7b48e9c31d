package api

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Module is something that the cluster has and packages can require. Here it is only
// a statement; nothing is installed by it.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type Module struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Properties ModuleProperties `json:"properties,omitempty"`
	Status     ModuleStatus     `json:"status,omitempty"`
}

// ModuleList is a list of them.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type ModuleList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []Module `json:"items"`
}

// ModuleProperties describe a module.
type ModuleProperties struct {
	// Version is vMAJOR.MINOR.PATCH; empty: not known, and every constraint is unmet.
	Version string `json:"version,omitempty"`
	// Requirements are what the module needs itself; nil: nothing.
	Requirements *ModuleNeeds `json:"requirements,omitempty"`
}

// ModuleNeeds are what a module requires of a cluster.
type ModuleNeeds struct {
	// Modules are other modules that have to be enabled, by name, with the range that
	// their version has to be in; "" is any.
	Modules map[string]string `json:"modules,omitempty"`
}

// ModuleReady is the phase of a module that is enabled. Modules in other phases count
// as disabled.
const ModuleReady = "Ready"

// ModuleStatus is how a module is.
type ModuleStatus struct {
	Phase string `json:"phase,omitempty"`
}

// Enabled tells whether packages may count on the module.
func (m *Module) Enabled() bool {
	return m.Status.Phase == ModuleReady && m.DeletionTimestamp.IsZero()
}
