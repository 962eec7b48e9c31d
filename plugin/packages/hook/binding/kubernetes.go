package binding

import (
	"maps"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook/document"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook/filter"
)

// kubernetesReading is a binding on its way from a document.
type kubernetesReading struct {
	*parser
	at     string
	k      Kubernetes
	queue  string // as given
	events int    // how many keys gave the events
	noWait bool
	full   *bool
}

func (p *parser) kubernetes(value any, at string) Kubernetes {
	p.named(value, at)
	r := &kubernetesReading{parser: p, at: at, k: Kubernetes{
		Name: string(OnKubernetes), OnSynchronization: true, WaitForSynchronization: true,
		Events: []Event{Added, Modified, Deleted}, Labels: labels.Everything(), KeepFullObjects: true,
	}}
	before := len(p.Findings)
	if p.Mapping(value, at, slices.Concat(r.behaviour(), r.selection())) {
		r.check(len(p.Findings) == before)
	}
	return r.k
}

// behaviour are the keys that say when the hook runs and what it gets.
func (r *kubernetesReading) behaviour() []document.Field {
	k := &r.k
	events := func(v any, at string) { r.events++; k.Events = r.eventList(v, at) }
	return []document.Field{
		{Key: "name", Read: func(v any, at string) { k.Name = orDefault(r.Text(v, at), k.Name) }},
		{Key: "executeHookOnEvent", Read: events},
		{Key: "watchEvent", Read: events}, // its former name
		{Key: "executeHookOnSynchronization", Read: func(v any, at string) { k.OnSynchronization = r.Truth(v, at) }},
		{Key: "waitForSynchronization", Read: func(v any, at string) { r.noWait = !r.Truth(v, at) }},
		{Key: "keepFullObjectsInMemory", Read: func(v any, at string) { full := r.Truth(v, at); r.full = &full }},
		{Key: "resynchronizationPeriod", Read: func(v any, at string) { k.Resynchronization = r.duration(v, at) }},
		{Key: "jqFilter", Read: func(v any, at string) { k.Filter = r.filter(v, at) }},
		{Key: "allowFailure", Read: func(v any, at string) { k.AllowFailure = r.Truth(v, at) }},
		{Key: "includeSnapshotsFrom", Read: func(v any, at string) { k.IncludeSnapshotsFrom = r.Texts(v, at) }},
		{Key: "queue", Read: func(v any, at string) { r.queue = r.Text(v, at) }},
		{Key: "group", Read: func(v any, at string) { k.Group = r.Text(v, at) }},
	}
}

// selection are the keys that say which objects are meant.
func (r *kubernetesReading) selection() []document.Field {
	k := &r.k
	return []document.Field{
		{Key: "apiVersion", Read: func(v any, at string) { k.APIVersion = r.apiVersion(v, at) }},
		{Key: "kind", Read: func(v any, at string) { k.Kind = r.Filled(v, at) }},
		{Key: "nameSelector", Read: func(v any, at string) { k.Names = r.names(v, at) }},
		{Key: "labelSelector", Read: func(v any, at string) { k.Labels = r.labels(v, at) }},
		{Key: "fieldSelector", Read: func(v any, at string) { k.Fields = r.fields(v, at) }},
		{Key: "namespace", Read: r.namespace},
	}
}

// check makes what needs the whole binding. sound tells that nothing was wrong
// with its parts: consequences of a mistake are not worth a line.
func (r *kubernetesReading) check(sound bool) {
	k := &r.k
	k.Queue = orDefault(r.queue, MainQueue)
	if k.Kind == "" && sound {
		r.Found(document.Join(r.at, "kind"), "is missing")
	}
	if r.events > 1 {
		r.Found(document.Join(r.at, "watchEvent"), "is the former name of executeHookOnEvent, which is there too")
	}
	r.checkWaiting()
	r.checkFull()
	if len(k.Names) > 0 && slices.ContainsFunc(k.Fields, func(f FieldRequirement) bool { return f.Field == "metadata.name" }) {
		r.Found(document.Join(r.at, "fieldSelector"), "metadata.name and nameSelector exclude each other")
	}
	if r.batch && k.Group == "" {
		// One run for any number of changes: a batch hook sees the present only.
		k.Group = MainQueue
	}
	r.instanceNamespace()
}

// checkWaiting: a binding in the main queue can't go on in parallel with the run
// that would wait for it.
func (r *kubernetesReading) checkWaiting() {
	at := document.Join(r.at, "waitForSynchronization")
	switch {
	case !r.noWait:
	case r.queue != "":
		r.k.WaitForSynchronization = false
	case r.batch:
		r.warn(at, "false is without effect, because the hook has no queue of its own")
	default:
		r.Found(at, "false needs a queue of its own: give the binding a queue")
	}
}

func (r *kubernetesReading) checkFull() {
	if r.full == nil {
		return
	}
	r.k.KeepFullObjects = *r.full
	if !*r.full && r.k.Filter == nil {
		at := document.Join(r.at, "keepFullObjectsInMemory")
		if r.batch {
			r.k.KeepFullObjects = true
			return
		}
		r.warn(at, "false without a jqFilter leaves nothing of the objects: the snapshot has empty entries")
	}
}

// eventList reads a list of events; in a batch also true for all, false for none.
func (r *kubernetesReading) eventList(value any, at string) []Event {
	all := []Event{Added, Modified, Deleted}
	if on, ok := value.(bool); ok && r.batch {
		if on {
			return all
		}
		return []Event{}
	}
	events := []Event{}
	r.List(value, at, func(v any, at string) {
		event := Event(r.Word(v, at, string(Added), string(Modified), string(Deleted)))
		if slices.Contains(events, event) {
			r.Found(at, "%s is there twice", event)
		}
		events = append(events, event)
	})
	return events
}

func (r *kubernetesReading) filter(value any, at string) *filter.Filter {
	text := r.Text(value, at)
	if text == "" {
		return nil
	}
	f, err := filter.Compile(text)
	if err != nil {
		r.Found(at, "%v", err)
	}
	return f
}

func (r *kubernetesReading) apiVersion(value any, at string) string {
	text := r.Text(value, at)
	if _, err := schema.ParseGroupVersion(text); err != nil {
		r.Found(at, "wanted GROUP/VERSION or VERSION, found %q", text)
	}
	return text
}

func (r *kubernetesReading) names(value any, at string) []string {
	var names []string
	given := false
	fields := []document.Field{{Key: "matchNames", Read: func(v any, at string) { given = true; names = r.Texts(v, at) }}}
	if r.Mapping(value, at, fields) && !given && !r.batch { // the SDK writes null for no names
		r.Found(document.Join(at, "matchNames"), "is missing")
	}
	if given && len(names) == 0 && !r.batch {
		r.Found(document.Join(at, "matchNames"), "is empty; leave nameSelector out to select all")
	}
	return sortedSet(names)
}

func (r *kubernetesReading) labels(value any, at string) labels.Selector {
	var s metav1.LabelSelector
	fields := []document.Field{
		{Key: "matchLabels", Read: func(v any, at string) { s.MatchLabels = r.textMap(v, at) }},
		{Key: "matchExpressions", Read: func(v any, at string) {
			r.List(v, at, func(v any, at string) { s.MatchExpressions = append(s.MatchExpressions, r.expression(v, at)) })
		}},
	}
	before := len(r.Findings)
	if !r.Mapping(value, at, fields) || len(r.Findings) > before {
		return labels.Everything()
	}
	if s.MatchLabels == nil && s.MatchExpressions == nil && !r.batch {
		r.Found(at, "is empty; leave it out to select all")
	}
	selector, err := metav1.LabelSelectorAsSelector(&s)
	if err != nil {
		r.Found(at, "%v", err)
		return labels.Everything()
	}
	return selector
}

func (r *kubernetesReading) textMap(value any, at string) map[string]string {
	mapping, ok := value.(map[string]any)
	if !ok {
		r.Found(at, "wanted a mapping, found %s", document.KindOf(value))
		return nil
	}
	out := make(map[string]string, len(mapping))
	for _, key := range slices.Sorted(maps.Keys(mapping)) {
		out[key] = r.Text(mapping[key], document.Join(at, key))
	}
	return out
}

func (r *kubernetesReading) expression(value any, at string) metav1.LabelSelectorRequirement {
	var e metav1.LabelSelectorRequirement
	r.Mapping(value, at, []document.Field{
		{Key: "key", Read: func(v any, at string) { e.Key = r.Filled(v, at) }},
		{Key: "operator", Read: func(v any, at string) {
			e.Operator = metav1.LabelSelectorOperator(r.Word(v, at, "In", "NotIn", "Exists", "DoesNotExist"))
		}},
		{Key: "values", Read: func(v any, at string) {
			r.List(v, at, func(v any, at string) { e.Values = append(e.Values, r.Text(v, at)) })
		}},
	})
	return e
}

func (r *kubernetesReading) fields(value any, at string) []FieldRequirement {
	var all []FieldRequirement
	given := false
	fields := []document.Field{{Key: "matchExpressions", Read: func(v any, at string) {
		given = true
		r.List(v, at, func(v any, at string) { all = append(all, r.field(v, at)) })
	}}}
	if r.Mapping(value, at, fields) && !given {
		r.Found(document.Join(at, "matchExpressions"), "is missing")
	}
	return all
}

func (r *kubernetesReading) field(value any, at string) FieldRequirement {
	var f FieldRequirement
	var missing []string
	has := map[string]bool{"value": r.batch} // the SDK leaves out an empty value
	r.Mapping(value, at, []document.Field{
		{Key: "field", Read: func(v any, at string) { has["field"] = true; f.Field = r.Filled(v, at) }},
		{Key: "operator", Read: func(v any, at string) {
			has["operator"] = true
			word := r.Word(v, at, "=", "==", "Equals", "!=", "NotEquals")
			f.Equal = !strings.HasPrefix(word, "!") && word != "NotEquals"
		}},
		{Key: "value", Read: func(v any, at string) { has["value"] = true; f.Value = r.Text(v, at) }},
	})
	for _, key := range []string{"field", "operator", "value"} {
		if !has[key] {
			missing = append(missing, key)
		}
	}
	if _, ok := value.(map[string]any); ok && len(missing) > 0 {
		r.Found(at, "%s is missing", strings.Join(missing, " and "))
	}
	return f
}

func (r *kubernetesReading) namespace(value any, at string) {
	k := &r.k
	r.Mapping(value, at, []document.Field{
		{Key: "nameSelector", Read: func(v any, at string) { k.Namespaces = r.names(v, at) }},
		{Key: "labelSelector", Read: func(v any, at string) { k.NamespaceLabels = r.labels(v, at) }},
	})
	if mapping, ok := value.(map[string]any); ok && len(mapping) == 0 {
		r.Found(at, "is empty; leave it out or name the namespaces")
	}
}

// instanceNamespace narrows the binding to the namespace of the instance, and
// refuses one that asks for another.
func (r *kubernetesReading) instanceNamespace() {
	if r.options.Rule == Any {
		return
	}
	k := &r.k
	at := document.Join(r.at, "namespace")
	const hint = "hooks see the namespace of their instance only (--hook-namespaces=instance)"
	if k.NamespaceLabels != nil {
		r.Found(document.Join(at, "labelSelector"), "%s, not namespaces chosen by labels", hint)
	}
	for _, name := range k.Namespaces {
		if name != r.options.Namespace {
			r.Found(document.Join(at, "nameSelector"), "%s: wanted %q, found %q", hint, r.options.Namespace, name)
		}
	}
	k.Namespaces, k.NamespaceLabels = []string{r.options.Namespace}, nil
}
