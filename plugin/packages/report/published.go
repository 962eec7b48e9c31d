package report

// Published is the result of "packages build" and "packages push".
type Published struct {
	APIVersion string  `json:"apiVersion"`
	Kind       string  `json:"kind"` // PublishedPackage
	Package    string  `json:"package"`
	Version    string  `json:"version"`
	Images     []Image `json:"images"`
}

// Image is one image in a registry or layout.
type Image struct {
	// Reference is where it is, with its tag.
	Reference string `json:"reference"`
	Digest    string `json:"digest"`
	// Unchanged tells that it was there before.
	Unchanged bool `json:"unchanged,omitempty"`
}

// NewPublished is one without images.
func NewPublished(name, version string) *Published {
	return &Published{APIVersion: APIVersion, Kind: "PublishedPackage", Package: name, Version: version, Images: []Image{}}
}

// Names lists the images by reference and digest, for -o name.
func (p *Published) Names() []string {
	names := make([]string, len(p.Images))
	for i, image := range p.Images {
		names[i] = image.Reference + "@" + image.Digest
	}
	return names
}
