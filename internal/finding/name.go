package finding

import (
	"crypto/sha256"
	"encoding/hex"
	"path"
	"strconv"
	"strings"
)

// name gives every finding its fingerprint and its id. Where several have the
// same file, kind and code, their order tells them apart.
func name(all []Merged) {
	times := map[string]int{}
	for i := range all {
		print := print(all[i].Finding)
		times[print]++
		all[i].Fingerprint = print + ":" + strconv.Itoa(times[print])
		all[i].ID = "F-" + print[:12]
		if n := times[print]; n > 1 {
			all[i].ID += "-" + strconv.Itoa(n)
		}
	}
}

// print is a hash of what of a finding stays the same when the rest of its file
// changes: 128 bits of SHA-256, in hexadecimal digits. Without code the title
// stands for it.
func print(f Finding) string {
	h := sha256.New()
	for _, field := range []string{f.File, f.Kind} {
		_, _ = h.Write([]byte(field + "\x00")) // a hash takes all
	}
	for line := range strings.Lines(f.Code) {
		if line = folded(line); line != "" {
			_, _ = h.Write([]byte(line + "\n"))
		}
	}
	if strings.TrimSpace(f.Code) == "" {
		_, _ = h.Write([]byte(f.Title))
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// mostAlso bounds the places told with each finding of a pattern.
const mostAlso = 10

// point enters with each finding where else in its folder its pattern is: the
// same kind and category with the same title.
func point(all []Merged) {
	type pattern struct{ folder, kind, category, title string }
	of := func(f Finding) pattern {
		return pattern{path.Dir(f.File), f.Kind, f.Category, strings.ToLower(f.Title)}
	}
	places := map[pattern][]Place{}
	for _, m := range all {
		p := of(m.Finding)
		places[p] = append(places[p], Place{m.ID, m.File, m.Line})
	}
	for i := range all {
		same := places[of(all[i].Finding)]
		all[i].Also, all[i].AlsoMore = nil, max(0, len(same)-1-mostAlso)
		for _, p := range same {
			if p.ID != all[i].ID && len(all[i].Also) < mostAlso {
				all[i].Also = append(all[i].Also, p)
			}
		}
	}
}
