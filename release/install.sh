#!/bin/sh
# Installs research-council @VERSION@ for this user, and its plugin into the
# hosts that are named:
#
#   sh install.sh [claude] [codex] [gemini]
#
# It fetches the archive of this machine, or takes it from beside this script,
# and goes on only where its SHA-256 is the one below. It writes the folder
# ~/.local/share/research-council and links to its two programs in ~/.local/bin
# (XDG_DATA_HOME, XDG_BIN_HOME), asks nothing and needs no right but yours.
set -eu

say() { printf '%s\n' "research-council: $*"; }
fail() {
	say "$*" >&2
	exit 1
}

# sums has a line for each machine: its name, the digest and the archive.
sums() {
	cat <<'.'
@SUMS@
.
}

machine() {
	case $(uname -sm) in
	'Linux x86_64' | 'Linux amd64') echo linux-amd64 ;;
	'Linux aarch64' | 'Linux arm64') echo linux-arm64 ;;
	'Darwin x86_64') echo darwin-amd64 ;;
	'Darwin arm64') echo darwin-arm64 ;;
	*) fail "there is no program for $(uname -sm)" ;;
	esac
}

fetch() { # ADDRESS FILE
	if command -v curl >/dev/null; then
		curl -fsSL --retry 3 -o "$2" "$1"
	elif command -v wget >/dev/null; then
		wget -q -O "$2" "$1"
	else
		fail "curl or wget is needed to fetch $1"
	fi || fail "$1 cannot be fetched"
}

digest() {
	if command -v sha256sum >/dev/null; then
		sha256sum <"$1"
	else
		shasum -a 256 <"$1"
	fi | cut -d ' ' -f 1
}

# put lays the folder down beside its place, and only then takes the place of
# what was there: a run that works goes on from copies of its own.
put() {
	name=$(machine)
	line=$(sums | grep "^$name ") || fail "this release has nothing for $name"
	archive=${line##* }
	line=${line% *}
	work=$(mktemp -d "$data/.research-council.XXXXXX")
	trap 'rm -rf "$work"' EXIT
	beside=$(dirname -- "$0")/$archive
	[ -f "$beside" ] || { beside=$work/archive && fetch "@FROM@/$archive" "$beside"; }
	[ "$(digest "$beside")" = "${line##* }" ] || fail "$archive is damaged, or not the one of this release: nothing is installed"
	mkdir "$work/new"
	tar -xzf "$beside" -C "$work/new"
	"$work/new/bin/council" version >/dev/null || fail "the program does not run here: nothing is installed"
	[ ! -e "$folder" ] || mv "$folder" "$work/old"
	mv "$work/new" "$folder"
	for program in council council-hook; do
		if [ -e "$bin/$program" ] && [ ! -L "$bin/$program" ]; then
			fail "$bin/$program is not ours: it stays, and ours is $folder/bin/$program"
		fi
		ln -sf "$folder/bin/$program" "$bin/$program"
	done
}

plugin() { # HOST
	command -v "$1" >/dev/null || fail "$1 is not in the PATH: its plugin is not installed"
	case $1 in
	claude) claude plugin install research-council --marketplace "$folder" ;;
	codex)
		codex plugin marketplace add "$folder" && codex plugin add research-council@@MARKET@
		say 'now start codex, open /hooks and trust the hooks of the plugin: until then they are skipped in silence'
		;;
	gemini)
		gemini extensions uninstall research-council >/dev/null 2>&1 || : # of another release, or not there
		gemini extensions link "$folder/hosts/gemini" --consent
		;;
	esac </dev/null
}

main() {
	for host in "$@"; do
		case $host in claude | codex | gemini) ;; *) fail "there is no plugin for $host: claude, codex or gemini" ;; esac
	done
	data=${XDG_DATA_HOME:-$HOME/.local/share}
	bin=${XDG_BIN_HOME:-$HOME/.local/bin}
	folder=$data/research-council
	mkdir -p "$data" "$bin"
	put
	for host in "$@"; do
		plugin "$host"
	done
	say "@VERSION@ is in $folder"
	case :$PATH: in
	*:"$bin":*) say 'begin with: council doctor' ;;
	*) say "$bin is not in your PATH; begin with: $bin/council doctor" ;;
	esac
}

main "$@"
