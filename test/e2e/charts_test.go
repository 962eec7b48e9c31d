package e2e

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// cmdChartRepository serves the charts below a directory, at $CHARTS, and counts
// nothing: `cp` into the directory and a second call make a new index.
func cmdChartRepository(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: chart-repository DIR")
	}
	files := map[string][]byte{}
	index := "apiVersion: v1\nentries:\n"
	entries, err := os.ReadDir(ts.MkAbs(args[0]))
	ts.Check(err)
	byName := map[string]string{}
	for _, e := range entries {
		chartName, version := chartNamed(ts, filepath.Join(ts.MkAbs(args[0]), e.Name()))
		data := packed(ts, filepath.Join(ts.MkAbs(args[0]), e.Name()), chartName)
		file := chartName + "-" + version + ".tgz"
		files["/"+file] = data
		sum := sha256.Sum256(data)
		byName[chartName] += fmt.Sprintf("  - {name: %s, version: %q, digest: %s, urls: [%s]}\n", chartName, version, hex.EncodeToString(sum[:]), file)
	}
	for chartName, lines := range byName {
		index += "  " + chartName + ":\n" + lines
	}
	files["/index.yaml"] = []byte(index)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		data, ok := files[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		_, _ = w.Write(data)
	}))
	ts.Defer(server.Close)
	ts.Setenv("CHARTS", server.URL)
}

// chartNamed reads name and version of a chart's directory.
func chartNamed(ts *testscript.TestScript, dir string) (chartName, version string) {
	data, err := os.ReadFile(filepath.Join(dir, "Chart.yaml"))
	ts.Check(err)
	field := func(key string) string {
		m := regexp.MustCompile(`(?m)^` + key + `: *"?([^"\n]+)"?$`).FindStringSubmatch(string(data))
		if m == nil {
			ts.Fatalf("%s/Chart.yaml has no %s", dir, key)
		}
		return m[1]
	}
	return field("name"), field("version")
}

// packed is a directory as a gzipped tar, below a top directory unless that is "".
func packed(ts *testscript.TestScript, dir, top string) []byte {
	var out bytes.Buffer
	zip := gzip.NewWriter(&out)
	archive := tar.NewWriter(zip)
	ts.Check(filepath.WalkDir(dir, func(file string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		data, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		below, err := filepath.Rel(dir, file)
		if err != nil {
			return err
		}
		header := &tar.Header{Name: path.Join(top, filepath.ToSlash(below)), Mode: 0o644, Size: int64(len(data)), Typeflag: tar.TypeReg}
		if err := archive.WriteHeader(header); err != nil {
			return err
		}
		_, err = archive.Write(data)
		return err
	}))
	ts.Check(archive.Close())
	ts.Check(zip.Close())
	return out.Bytes()
}

// Media types of what is pushed.
const (
	ociManifest = "application/vnd.oci.image.manifest.v1+json"
	chartLayer  = "application/vnd.cncf.helm.chart.content.v1.tar+gzip"
	chartConfig = "application/vnd.cncf.helm.config.v1+json"
	filesLayer  = "application/vnd.oci.image.layer.v1.tar+gzip"
	filesConfig = "application/vnd.example.manifests.v1+json"
)

// cmdPush puts a directory into a registry: as a chart, or as files.
func cmdPush(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: push chart|files DIR REFERENCE")
	}
	dir, layer, config, top := ts.MkAbs(args[1]), filesLayer, filesConfig, ""
	if args[0] == "chart" {
		layer, config = chartLayer, chartConfig
		top, _ = chartNamed(ts, dir)
	}
	host, rest, _ := strings.Cut(args[2], "/")
	repository, tag, found := strings.Cut(rest, ":")
	if !found {
		ts.Fatalf("push: %s has no tag", args[2])
	}
	base := "http://" + host + "/v2/" + repository
	blob := func(media string, data []byte) string {
		digest := fmt.Sprintf("sha256:%x", sha256.Sum256(data))
		send(ts, http.MethodPost, base+"/blobs/uploads/?digest="+digest, "application/octet-stream", data)
		return fmt.Sprintf(`{"mediaType": %q, "digest": %q, "size": %d}`, media, digest, len(data))
	}
	manifest := fmt.Sprintf(`{"schemaVersion": 2, "mediaType": %q, "config": %s, "layers": [%s]}`,
		ociManifest, blob(config, []byte("{}")), blob(layer, packed(ts, dir, top)))
	send(ts, http.MethodPut, base+"/manifests/"+tag, ociManifest, []byte(manifest))
}

// send makes a request that must succeed.
func send(ts *testscript.TestScript, method, address, media string, data []byte) {
	request, err := http.NewRequest(method, address, bytes.NewReader(data))
	ts.Check(err)
	request.Header.Set("Content-Type", media)
	response, err := http.DefaultClient.Do(request)
	ts.Check(err)
	ts.Check(response.Body.Close())
	if response.StatusCode >= http.StatusMultipleChoices {
		ts.Fatalf("%s %s: %s", method, address, response.Status)
	}
}

// cmdExpand replaces $NAME in files by the script's variables.
func cmdExpand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: expand FILE...")
	}
	for _, file := range args {
		text := ts.ReadFile(file)
		for _, key := range []string{"REGISTRY", "CHARTS", "WORK"} {
			text = strings.ReplaceAll(text, "$"+key, ts.Getenv(key))
		}
		ts.Check(os.WriteFile(ts.MkAbs(file), []byte(text), 0o600))
	}
}
