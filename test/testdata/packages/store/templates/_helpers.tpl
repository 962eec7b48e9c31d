{{- define "store.name" -}}
{{- printf "d8a-%s-%s" (index . 0).Application.Instance.Name (index . 1) -}}
{{- end -}}

{{- define "store.labels" -}}
app.kubernetes.io/name: {{ .Application.Package.Name }}
app.kubernetes.io/instance: {{ .Application.Instance.Name }}
{{- end -}}

{{- define "store.pullSecrets" -}}
{{- if .Application.Package.Registry.dockercfg -}}
imagePullSecrets:
- name: {{ include "store.name" (list . "registry") }}
{{- end -}}
{{- end -}}
