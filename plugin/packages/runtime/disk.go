package runtime

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/bundle/source"
)

// disk is where bundles lie:
//
//	ROOT/apps/deployed/NAMESPACE.INSTANCE     a link to the bundle of an application
//	ROOT/apps/versions/REPOSITORY/PACKAGE/VERSION@DIGEST
//	ROOT/tmp                                  a Scratch for each process
type disk struct {
	root    string
	scratch *Scratch
	// owned: the scratch goes with the disk.
	owned bool
	mu    sync.Mutex
}

const dirMode = 0o700 // hooks are programs, and files of packages may hold secrets

// openDisk makes the directories. Without a scratch it has one of its own.
func openDisk(root string, scratch *Scratch) (*disk, error) {
	full, err := filepath.Abs(root)
	if err != nil {
		return nil, fmt.Errorf("directory of packages %s: %w", root, err)
	}
	d := &disk{root: full, scratch: scratch, owned: scratch == nil}
	for _, dir := range []string{d.deployed(), d.versions()} {
		if err := os.MkdirAll(dir, dirMode); err != nil {
			return nil, fmt.Errorf("directory of packages: %w", err)
		}
	}
	if d.owned {
		if d.scratch, err = OpenScratch(root); err != nil {
			return nil, err
		}
	}
	return d, nil
}

func (d *disk) close() error {
	if !d.owned {
		return nil
	}
	return d.scratch.Close()
}

func (d *disk) deployed() string { return filepath.Join(d.root, "apps", "deployed") }
func (d *disk) versions() string { return filepath.Join(d.root, "apps", "versions") }
func (d *disk) temp() string     { return d.scratch.Dir() }

// link is where the bundle of an application is to be found.
func (d *disk) link(name string) string { return filepath.Join(d.deployed(), name) }

// parent has all bundles of a version of a package in a repository.
func (d *disk) parent(of Desired) string {
	return filepath.Join(d.versions(), escaped(of.Repository), escaped(of.Package))
}

// escaped makes a name that is one path element.
func escaped(name string) string {
	name = strings.NewReplacer("/", "_", string(filepath.Separator), "_").Replace(name)
	if name == "" || name[0] == '.' {
		return "_" + name
	}
	return name
}

// put makes a fetched package that of an application, and closes it.
func (d *disk) put(of Desired, p *source.Package) (dir string, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	defer func() { err = errors.Join(err, p.Close()) }()
	dir = p.Origin.Directory
	if dir == "" {
		_, digest, _ := strings.Cut(p.Origin.Digest, ":")
		dir = filepath.Join(d.parent(of), escaped(of.Version)+"@"+digest)
		if err := os.MkdirAll(filepath.Dir(dir), dirMode); err != nil {
			return "", err
		}
		if _, err := os.Stat(dir); err != nil {
			if err := os.Rename(p.Dir, dir); err != nil {
				return "", fmt.Errorf("put package %s into its place: %w", p.Origin, err)
			}
		}
	}
	if err := d.point(of.InstanceName(), dir); err != nil {
		return "", err
	}
	return dir, nil
}

// point makes the link of an application lead to a directory, at once.
func (d *disk) point(name, dir string) error {
	fresh := filepath.Join(d.temp(), "link-"+name)
	if err := os.Remove(fresh); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if err := os.Symlink(dir, fresh); err != nil {
		return err
	}
	return os.Rename(fresh, d.link(name))
}

// find gives what was deployed for an application before, if it is the same version of
// the same package.
func (d *disk) find(of Desired) (dir string, ok bool) {
	dir, err := os.Readlink(d.link(of.InstanceName()))
	if err != nil || filepath.Dir(dir) != d.parent(of) || !strings.HasPrefix(filepath.Base(dir), escaped(of.Version)+"@") {
		return "", false
	}
	info, err := os.Stat(dir)
	return dir, err == nil && info.IsDir()
}

// remove takes the link of an application away.
func (d *disk) remove(name string) error {
	if err := os.Remove(d.link(name)); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

// names lists the applications that have a link.
func (d *disk) names() ([]string, error) {
	entries, err := os.ReadDir(d.deployed())
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name()
	}
	return names, err
}

// sweep removes bundles that no link leads to and that are not in use.
func (d *disk) sweep(inUse []string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	names, err := d.names()
	if err != nil {
		return err
	}
	used := map[string]bool{}
	for _, dir := range inUse {
		used[dir] = true
	}
	for _, name := range names {
		if dir, err := os.Readlink(d.link(name)); err == nil {
			used[dir] = true
		}
	}
	bundles, err := filepath.Glob(filepath.Join(globbed(d.versions()), "*", "*", "*"))
	if err != nil {
		return err
	}
	var faults []error
	for _, dir := range bundles {
		if !used[dir] {
			faults = append(faults, os.RemoveAll(dir))
		}
	}
	return errors.Join(faults...)
}

// globbed takes a path literally.
func globbed(path string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(path)
}
