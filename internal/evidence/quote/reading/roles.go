package reading

import (
	"regexp"
	"strings"
	"sync"
)

// role is a name that reStructuredText marks by what it names: ":meth:`Pool.get`",
// ":class:`~pool.Lease`", ":ref:`the text <target>`".
var role = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("(?:^|[^\\w:`])(:(?:[a-z]+:)?(?:meth|func|class|mod|attr|data|exc|obj|const|macro|type|member|ref|doc|term|option|envvar|any|program|command|keyword|token|numref|file):)`(~[\\w.]*\\.|[!~])?[^`<]{1,200}?(\\s*<[^`<>]{1,200}>)?`")
})

// roleEdits take out the roles, and what of a marked name is not read: where it stands, or
// leads to.
func roleEdits(text string) []Edit {
	if !strings.Contains(text, ":`") {
		return nil
	}
	var list []Edit
	for _, m := range role().FindAllStringSubmatchIndex(text, -1) {
		from, to := m[2], m[3]+1
		if m[4] >= 0 {
			to = m[5]
		}
		list = append(list, Edit{From: from, To: to, With: "`"})
		if m[6] >= 0 {
			list = append(list, Edit{From: m[6], To: m[7]})
		}
	}
	return list
}
