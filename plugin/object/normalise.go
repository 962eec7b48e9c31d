package object

import "encoding/base64"

// Normalise returns a copy for comparison, in which every field that holds
// bytes has the form the server stores: base64 on one line. Such are data of a
// Secret, binaryData of a ConfigMap, and the few others of the built-in kinds
// (caBundle, request of a CertificateSigningRequest). Values that are no base64
// stay. What is compared may be normalised; what is sent is what was built.
func Normalise(body map[string]any) map[string]any {
	gvk := gvkOf(body)
	paths := byteFields(gvk.Group, gvk.Kind)
	if len(paths) == 0 {
		return body
	}
	var out any = body
	for _, path := range paths {
		out = rewrite(out, path, oneLine)
	}
	normalised, _ := out.(map[string]any) // rewrite keeps the type
	return normalised
}

// byteFields lists the []byte fields that people write into manifests. "*"
// stands for every key or every item.
func byteFields(group, kind string) []Path {
	switch {
	case group == "" && kind == "Secret":
		return []Path{{"data", "*"}}
	case group == "" && kind == "ConfigMap":
		return []Path{{"binaryData", "*"}}
	case group == "admissionregistration.k8s.io":
		return []Path{{"webhooks", "*", "clientConfig", "caBundle"}}
	case group == "apiextensions.k8s.io":
		return []Path{{"spec", "conversion", "webhook", "clientConfig", "caBundle"}}
	case group == "apiregistration.k8s.io":
		return []Path{{"spec", "caBundle"}}
	case group == "certificates.k8s.io":
		return []Path{{"spec", "request"}}
	default:
		return nil
	}
}

func oneLine(value any) any {
	text, ok := value.(string)
	if !ok {
		return value
	}
	raw, ok := decodeBase64(text)
	if !ok {
		return value
	}
	return base64.StdEncoding.EncodeToString(raw)
}
