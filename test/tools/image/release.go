package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"sigs.k8s.io/yaml"
)

// releaseTag is the tag of the release, and so of the image.
const releaseTag = "v0.0.0-check"

// release is one run of goreleaser.
type release struct {
	goreleaser string
	// source is the repository, dir the clone that is made of it.
	source, dir string
	// base and repository are the images: the one to build on, and the name of ours.
	base, repository string
	// log gets what goreleaser prints.
	log io.Writer
}

// made is what the release says of itself, to compare the image with.
type made struct {
	// commit is its full hash, committed its time.
	commit    string
	committed time.Time
	// programs are the files for the archives by platform: linux/amd64.
	programs map[string]string
}

func (r release) run(ctx context.Context) (made, error) {
	if err := os.MkdirAll(filepath.Dir(r.dir), 0o755); err != nil {
		return made{}, err
	}
	if _, err := output(ctx, "", "git", "-c", "advice.detachedHead=false", "clone", "--quiet", "--no-hardlinks", r.source, r.dir); err != nil {
		return made{}, err
	}
	if _, err := output(ctx, r.dir, "git", "tag", releaseTag); err != nil {
		return made{}, err
	}
	written, err := os.ReadFile(filepath.Join(r.dir, ".goreleaser.yaml"))
	if err != nil {
		return made{}, err
	}
	config, err := imageOnly(written, r.base)
	if err != nil {
		return made{}, fmt.Errorf(".goreleaser.yaml: %w", err)
	}
	file := r.dir + ".yaml" // beside the clone, which must have no changes
	if err := os.WriteFile(file, config, 0o600); err != nil {
		return made{}, err
	}
	if err := r.goreleaserRun(ctx, file); err != nil {
		return made{}, err
	}
	return r.look(ctx)
}

func (r release) goreleaserRun(ctx context.Context, config string) error {
	program, err := filepath.Abs(r.goreleaser)
	if strings.ContainsRune(r.goreleaser, filepath.Separator) && err != nil {
		return err
	}
	if !strings.ContainsRune(r.goreleaser, filepath.Separator) {
		program = r.goreleaser
	}
	cmd := exec.CommandContext(ctx, program, "release", "--config", config, "--clean", "--skip=announce,archive,before,sbom", "--parallelism", "1", "--timeout", "3h")
	cmd.Dir, cmd.Stdout, cmd.Stderr = r.dir, r.log, r.log
	// The configuration says all that counts, wherever it is run.
	for _, v := range os.Environ() {
		if name, _, _ := strings.Cut(v, "="); name != "GOFLAGS" && name != "CGO_ENABLED" {
			cmd.Env = append(cmd.Env, v)
		}
	}
	cmd.Env = append(cmd.Env, "KO_DOCKER_REPO="+r.repository)
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("goreleaser: %w", err)
	}
	return nil
}

// look finds what the release was made of, and its programs.
func (r release) look(ctx context.Context) (made, error) {
	commit, err := output(ctx, r.dir, "git", "log", "-1", "--format=%H %cI")
	if err != nil {
		return made{}, err
	}
	hash, when, _ := strings.Cut(commit, " ")
	m := made{commit: hash, programs: map[string]string{}}
	if m.committed, err = time.Parse(time.RFC3339, when); err != nil {
		return made{}, fmt.Errorf("the time of commit %s: %w", hash, err)
	}
	for _, p := range platforms() {
		// goreleaser adds the level of the processor to the name.
		found, err := filepath.Glob(filepath.Join(r.dir, "dist", "*_"+p.OS+"_"+p.Architecture+"*", "kubectl-tazuna"))
		if err != nil || len(found) != 1 {
			return made{}, fmt.Errorf("the program for %s/%s in %s/dist: wanted one, found %q", p.OS, p.Architecture, r.dir, found)
		}
		m.programs[p.String()] = found[0]
	}
	return m, nil
}

// imageOnly is the configuration of a release of which only the image is made, on
// another base.
func imageOnly(written []byte, base string) ([]byte, error) {
	var all map[string]any
	if err := yaml.Unmarshal(written, &all); err != nil {
		return nil, err
	}
	builds, _ := all["builds"].([]any)
	kos, _ := all["kos"].([]any)
	if len(builds) != 1 || len(kos) != 1 {
		return nil, fmt.Errorf("wanted one of builds and one of kos, found %d and %d", len(builds), len(kos))
	}
	build, isBuild := builds[0].(map[string]any)
	ko, isKo := kos[0].(map[string]any)
	if !isBuild || !isKo || ko["base_image"] == nil {
		return nil, errors.New("wanted a base_image in kos")
	}
	build["goos"] = []string{"linux"}
	ko["base_image"] = base
	return yaml.Marshal(map[string]any{
		"version": all["version"], "project_name": all["project_name"], "builds": builds, "kos": kos,
		"release": map[string]any{"disable": true}, "changelog": map[string]any{"disable": true},
	})
}

func output(ctx context.Context, dir, program string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir = dir
	var problems strings.Builder
	cmd.Stderr = &problems
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w: %s", strings.Join(cmd.Args, " "), err, strings.TrimSpace(problems.String()))
	}
	return strings.TrimSpace(string(out)), nil
}
