#!/bin/sh
# Does everything of a release but what leaves the machine, with the last commit:
#
#	[OSES="linux darwin windows"] [ARCHES="amd64 arm64"] sh test/tools/release-check.sh TOOLS
#
# TOOLS holds goreleaser, cyclonedx-gomod, krew and validate-krew-manifest. Two
# releases are made in two directories and compared byte by byte, and the first is
# installed with krew into an empty home directory. Their files stay in dist/.
#
# Fewer OSES and ARCHES make it shorter: all of Kubernetes' client is compiled for each.
#
# The image is made and looked at by test/tools/image. What can't be done here: the
# download of archives that krew's index tries before it takes a manifest.
set -eu

[ $# -eq 1 ] || { echo "usage: release-check.sh TOOLS" >&2; exit 2; }
tools=$(cd "$1" && pwd)
cd "$(dirname "$0")/../.."
here=$(pwd)
PATH=$tools:$PATH
export PATH
# The configuration says all that counts, wherever it is run.
unset GOFLAGS
oses=${OSES:-linux darwin windows} arches=${ARCHES:-amd64 arm64}
platforms=0
for os in $oses; do for arch in $arches; do platforms=$((platforms + 1)); done; done
work=$(mktemp -d "${TMPDIR:-/tmp}/tazuna-release.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

fail() {
	echo "release-check: $*" >&2
	exit 1
}

# release DIR: a release of the last commit, made in DIR.
release() {
	git -c advice.detachedHead=false clone --quiet --no-hardlinks "$here" "$1"
	sed -e "s/goos: \[.*/goos: [$(echo "$oses" | sed 's/ /, /g')]/" \
		-e "s/goarch: \[.*/goarch: [$(echo "$arches" | sed 's/ /, /g')]/" .goreleaser.yaml >"$work/goreleaser.yaml"
	(cd "$1" && goreleaser release --config "$work/goreleaser.yaml" --snapshot --clean --skip=before,ko --parallelism "${PARALLELISM:-2}" --timeout 3h)
}

# published DIR: what of DIR/dist people get, with hashes.
published() {
	(cd "$1/dist" && find . -name '*.tar.gz' -o -name '*.zip' -o -name '*.cdx.json' -o -name checksums.txt -o -path ./krew/tazuna.yaml) |
		sort | while read -r file; do
		echo "$(sum "$1/dist/$file")  $file"
	done
}

sum() {
	if command -v sha256sum >/dev/null 2>&1; then sha256sum <"$1"; else shasum -a 256 <"$1"; fi | cut -d ' ' -f 1
}

# contents ARCHIVE: the names in it.
contents() {
	case $1 in
	*.zip) unzip -Z1 "$1" ;;
	*) tar -tzf "$1" ;;
	esac | sort | tr '\n' ' '
}

echo "== goreleaser check"
goreleaser check

echo "== two releases"
release "$work/one"
release "$work/another-place/two"
published "$work/one" >"$work/one.txt"
published "$work/another-place/two" >"$work/two.txt"
cat "$work/one.txt"
diff "$work/one.txt" "$work/two.txt" || fail "two releases of one commit differ"
[ "$(wc -l <"$work/one.txt")" -eq $((2 * platforms + 2)) ] ||
	fail "wanted for each of $platforms platforms an archive and a list of contents, checksums.txt and krew/tazuna.yaml, found the above"

echo "== archives"
rm -rf dist
cp -R "$work/one/dist" dist
for archive in dist/*.tar.gz dist/*.zip; do
	[ -e "$archive" ] || continue # no such kind
	case $archive in *windows*) program=kubectl-tazuna.exe ;; *) program=kubectl-tazuna ;; esac
	[ "$(contents "$archive")" = "LICENSE README.md $program " ] || fail "$archive holds $(contents "$archive")"
	grep -q "^$(sum "$archive")  $(basename "$archive")\$" dist/checksums.txt || fail "checksums.txt has another checksum of $archive"
done

echo "== krew: both manifests are valid"
# The index wants a file with the name of the plugin.
mkdir "$work/template"
cp krew-manifest.yaml "$work/template/tazuna.yaml"
for manifest in dist/krew/tazuna.yaml "$work/template/tazuna.yaml"; do
	validate-krew-manifest -skip-install -manifest "$manifest"
done

echo "== krew: install into an empty home directory"
# With the kubectl of the tests, where it is built, and without our own build beside it.
mkdir "$work/path"
[ ! -x bin/kubectl ] || ln -s "$here/bin/kubectl" "$work/path/kubectl"
PATH=$work/path:$PATH sh test/tools/krew-install.sh dist "$work/home"
echo "release-check: archives are well; dist/ holds the release"
