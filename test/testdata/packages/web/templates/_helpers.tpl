{{- /* The name of an object of this instance: d8a-INSTANCE-SUFFIX. */ -}}
{{- define "web.name" -}}
{{- printf "d8a-%s-%s" (index . 0).Application.Instance.Name (index . 1) -}}
{{- end -}}

{{- define "web.labels" -}}
app.kubernetes.io/name: {{ .Application.Package.Name }}
app.kubernetes.io/instance: {{ .Application.Instance.Name }}
{{- end -}}

{{- /* The address of the application, from the template of the platform. */ -}}
{{- define "web.host" -}}
{{- printf .Platform.applications.publicDomainTemplate .Application.Instance.Name .Application.Instance.Namespace -}}
{{- end -}}
