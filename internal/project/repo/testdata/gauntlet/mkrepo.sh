#!/bin/bash
# mkrepo.sh CASE DIR CANARYDIR [--fire]   builds one hostile repository; --fire also runs the ordinary git command.
# mkrepo.sh --list                        lists the cases
here=$(cd "$(dirname "$0")" && pwd); . "$here/lib.sh"; . "$here/cases.sh"
[ "$1" = --list ] && { declare -F | sed -n 's/^declare -f mk_//p'; exit; }
CASE=$1; mkdir -p "$(dirname "$2")" "$3"; DIR=$(cd "$(dirname "$2")" && pwd)/$(basename "$2"); CAN=$(cd "$3" && pwd)
"mk_$CASE" >/dev/null 2>&1; find "$CAN" -type f -delete
[ "$4" = --fire ] && { "fire_$CASE" </dev/null >/dev/null 2>&1; }
exit 0
