{{- define "dashboards.name" -}}
{{- printf "d8a-%s-%s" (index . 0).Application.Instance.Name (index . 1) -}}
{{- end -}}

{{- define "dashboards.host" -}}
{{- printf .Platform.applications.publicDomainTemplate .Application.Instance.Name .Application.Instance.Namespace -}}
{{- end -}}
