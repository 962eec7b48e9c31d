package lint

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	_ "image/jpeg" // formats that an icon may have
	_ "image/png"
	"io/fs"
	"path"
	"strings"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/bundle"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/report"
)

// docsFile is what catalogues show of a package.
const docsFile = "docs/README.md"

func docs(p *Package, found func(report.Severity, string, string)) {
	if _, err := fs.Stat(p.Files, docsFile); errors.Is(err, fs.ErrNotExist) {
		found(report.Warning, docsFile, "is missing: it says what the package is for")
	}
}

// Limits of catalogues on icons.
const (
	maxIconBytes  = 150 << 10
	maxIconPixels = 300
)

// isIcon tells the files that the rule icon is about.
func isIcon(name string) bool { return strings.HasPrefix(name, "icon.") }

func icon(p *Package, found func(report.Severity, string, string)) {
	entries, err := fs.ReadDir(p.Files, ".")
	if err != nil {
		return // who read the bundle has told it
	}
	for _, entry := range entries {
		name := entry.Name()
		if !isIcon(name) || entry.IsDir() {
			continue
		}
		info, err := fs.Stat(p.Files, name) // first, because to open a pipe waits for its other end
		if err == nil && !info.Mode().IsRegular() {
			err = fmt.Errorf("wanted a file, found %s", info.Mode().Type())
		}
		var data []byte
		if err == nil {
			data, err = fs.ReadFile(p.Files, name)
		}
		if bundle.LeadsOut(err) {
			err = errors.New(bundle.LinkOut)
		}
		if err != nil {
			found(report.Error, name, err.Error())
			continue
		}
		if len(data) > maxIconBytes {
			found(report.Error, name, fmt.Sprintf("wanted at most %d bytes, found %d", maxIconBytes, len(data)))
		}
		if path.Ext(name) == ".svg" {
			continue
		}
		config, _, err := image.DecodeConfig(bytes.NewReader(data))
		switch {
		case err != nil:
			found(report.Error, name, "wanted PNG, JPEG or SVG: "+err.Error())
		case config.Width > maxIconPixels || config.Height > maxIconPixels:
			found(report.Error, name, fmt.Sprintf("wanted at most %d×%d pixels, found %d×%d",
				maxIconPixels, maxIconPixels, config.Width, config.Height))
		}
	}
}
