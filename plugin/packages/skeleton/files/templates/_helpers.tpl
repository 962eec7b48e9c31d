{{- /* The name of an object: every one has to begin with d8a-INSTANCE-. */ -}}
{{- define "name" -}}
{{- printf "d8a-%s-%s" (index . 0).Application.Instance.Name (index . 1) -}}
{{- end -}}

{{- define "labels" -}}
app.kubernetes.io/name: {{ .Application.Package.Name }}
app.kubernetes.io/instance: {{ .Application.Instance.Name }}
{{- end -}}
