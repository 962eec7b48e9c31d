#!/bin/sh
# Installs the archive for this machine with krew, as a user does:
#
#	sh test/tools/krew-install.sh DIST HOME
#
# DIST holds a release, HOME is an empty directory or none. krew is on PATH; kubectl,
# where it is as well, is asked for the plugin.
set -eu

[ $# -eq 2 ] || { echo "usage: krew-install.sh DIST HOME" >&2; exit 2; }
dist=$(cd "$1" && pwd)
mkdir -p "$2"
HOME=$(cd "$2" && pwd)
KREW_ROOT=$HOME/.krew KREW_NO_UPGRADE_CHECK=1 KUBECONFIG=$HOME/none
PATH=$KREW_ROOT/bin:$PATH
export HOME KREW_ROOT KREW_NO_UPGRADE_CHECK KUBECONFIG PATH

# An index with nothing in it, so that krew asks no server for its own.
git init --quiet "$HOME/index"
mkdir "$HOME/index/plugins"
touch "$HOME/index/plugins/.none"
git -C "$HOME/index" add .
git -C "$HOME/index" -c user.name=none -c user.email=none@example.com commit --quiet -m "An empty index"
KREW_DEFAULT_INDEX_URI=file://$HOME/index
export KREW_DEFAULT_INDEX_URI
krew update

os=$(uname -s | tr '[:upper:]' '[:lower:]')
case $(uname -m) in x86_64 | amd64) arch=amd64 ;; *) arch=arm64 ;; esac

krew install --manifest "$dist/krew/tazuna.yaml" --archive "$dist/kubectl-tazuna_${os}_$arch.tar.gz" </dev/null
krew list | grep -q 'tazuna' || { echo "krew-install.sh: krew list doesn't name the plugin" >&2; exit 1; }
[ "$(command -v kubectl-tazuna)" = "$KREW_ROOT/bin/kubectl-tazuna" ] || { echo "krew-install.sh: krew did not install the plugin" >&2; exit 1; }
kubectl-tazuna version --client
if command -v kubectl >/dev/null 2>&1; then
	kubectl tazuna version --client
	kubectl tazuna completion kubectl --install
	kubectl __complete tazuna dif | grep -q '^diff' || { echo "krew-install.sh: kubectl doesn't complete" >&2; exit 1; }
fi
krew uninstall tazuna
[ ! -e "$KREW_ROOT/bin/kubectl-tazuna" ] || { echo "krew-install.sh: krew uninstall left the plugin" >&2; exit 1; }
