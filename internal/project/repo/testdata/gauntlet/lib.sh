# Shared: base repository and canary programs. Needs: CASE DIR CAN (canary directory).
export GIT_CONFIG_NOSYSTEM=1 GIT_TERMINAL_PROMPT=0 GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@x GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@x
export GIT_AUTHOR_DATE='2026-11-01T00:00:00Z' GIT_COMMITTER_DATE='2026-11-01T00:00:00Z'
g(){ git -C "$DIR" "$@"; }
c(){ git -C "$DIR" config "$@"; }
base(){ # a real small project, two commits and an uncommitted change
 rm -rf "$DIR" "$DIR".*; mkdir -p "$DIR/src" "$CAN"; git init -q -b main "$DIR"
 printf 'module example.com/shop\n\ngo 1.22\n' >"$DIR/go.mod"
 printf 'package shop\n\n// Total adds prices.\nfunc Total(p []int) int {\n\ts := 0\n\tfor i := 0; i <= len(p); i++ { // off by one\n\t\ts += p[i]\n\t}\n\treturn s\n}\n' >"$DIR/src/shop.go"
 printf 'def rate(a, b):\n    return a / b\n' >"$DIR/src/rate.py"; echo '# Shop' >"$DIR/README.md"
 g add -A; g commit -qm first; printf '\ndef half(a):\n    return rate(a, 2)\n' >>"$DIR/src/rate.py"; g commit -qam second
 printf '\n# pending\n' >>"$DIR/src/rate.py"; }
# prog NAME: path of a program that leaves $CAN/NAME and then acts like cat
prog(){ mkdir -p "$DIR.prog"; printf '#!/bin/sh\n: >"%s/%s"\n[ -t 0 ] || cat\nexit 0\n' "$CAN" "$1" >"$DIR.prog/$1"; chmod +x "$DIR.prog/$1"; echo "$DIR.prog/$1"; }
# progq NAME: the same, reads nothing, says nothing
progq(){ mkdir -p "$DIR.prog"; printf '#!/bin/sh\n: >"%s/%s"\nexit 0\n' "$CAN" "$1" >"$DIR.prog/$1"; chmod +x "$DIR.prog/$1"; echo "$DIR.prog/$1"; }
allhooks(){ mkdir -p "$1"; for h in applypatch-msg pre-applypatch post-applypatch pre-commit pre-merge-commit prepare-commit-msg commit-msg post-commit pre-rebase post-checkout post-merge pre-push pre-receive update proc-receive post-receive post-update reference-transaction push-to-checkout pre-auto-gc post-rewrite sendemail-validate fsmonitor-watchman p4-pre-submit post-index-change; do printf '#!/bin/sh\n: >"%s/%s"\nexit 0\n' "$CAN" "$2-$h" >"$1/$h"; chmod +x "$1/$h"; done; }
attr(){ mkdir -p "$DIR/.git/info"; echo "$1" >>"$DIR/.git/info/attributes"; }
dirty(){ touch "$DIR/src/rate.py"; printf '# more\n' >>"$DIR/src/rate.py"; }
sigcommit(){ # a commit that carries a signature header of kind $1
 local t p s; t=$(g rev-parse HEAD^{tree}); p=$(g rev-parse HEAD)
 case $1 in pgp) s='PGP SIGNATURE';; ssh) s='SSH SIGNATURE';; x509) s='SIGNED MESSAGE';; esac
 local id; id=$(printf 'tree %s\nparent %s\nauthor a <a@x> 1793491200 +0000\ncommitter a <a@x> 1793491200 +0000\ngpgsig -----BEGIN %s-----\n \n AAAA\n -----END %s-----\n\nsigned\n' "$t" "$p" "$s" "$s" | g hash-object -t commit -w --stdin); g update-ref refs/heads/main "$id"; }
