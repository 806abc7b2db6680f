package finding

import (
	"crypto/sha256"
	"encoding/hex"
	"path"
	"strconv"
	"strings"
)

// setIDs gives findings, in the order of their places, their fingerprints and
// ids. Where several have the same file, kind and code, the order tells them
// apart.
func setIDs(all []Merged) {
	times, taken := map[string]int{}, map[string]bool{}
	for i := range all {
		print := fingerprint(all[i].Finding)
		times[print]++
		all[i].Fingerprint = print + ":" + strconv.Itoa(times[print])
		all[i].ID = freeID(all[i].Fingerprint, taken)
		taken[all[i].ID] = true
	}
}

// idDigits is how much of a fingerprint is an id: a model writes it down without
// a slip.
const idDigits = 8

// freeID is an id of a fingerprint that nothing has yet.
func freeID(print string, taken map[string]bool) string {
	hash, times, _ := strings.Cut(print, ":")
	for n := idDigits; n < len(hash); n++ {
		id := "F-" + hash[:n]
		if times != "1" {
			id += "-" + times
		}
		if !taken[id] {
			return id
		}
	}
	return "F-" + hash + "-" + times
}

// fingerprint is a hash of what of a finding stays the same when the rest of its file
// changes: 128 bits of SHA-256, in hexadecimal digits. Without code the title
// stands for it.
func fingerprint(f Finding) string {
	h := sha256.New()
	for _, field := range []string{f.File, f.Kind} {
		_, _ = h.Write([]byte(field + "\x00")) // a hash takes all
	}
	for line := range strings.Lines(f.Code) {
		if line = trimLine(line); line != "" {
			_, _ = h.Write([]byte(line + "\n"))
		}
	}
	if strings.TrimSpace(f.Code) == "" {
		_, _ = h.Write([]byte(f.Title))
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// maxAlso bounds the places told with each finding of a pattern.
const maxAlso = 10

// setSamePlaces enters with each finding that stands where else in its folder its
// pattern is: the same kind and category, or without a category the same title.
func setSamePlaces(all []Merged) {
	type pattern struct{ folder, kind, category, title string }
	of := func(f Finding) pattern {
		p := pattern{folder: path.Dir(f.File), kind: f.Kind, category: f.Category}
		if f.Category == Uncategorised {
			p.title = strings.ToLower(f.Title)
		}
		return p
	}
	same := map[pattern][]int{}
	for i := range all {
		all[i].Also, all[i].AlsoMore = nil, 0
		if all[i].Stands() {
			p := of(all[i].Finding)
			same[p] = append(same[p], i)
		}
	}
	for _, group := range same {
		for _, i := range group {
			all[i].Also, all[i].AlsoMore = places(all, group, i), max(0, len(group)-1-maxAlso)
		}
	}
}

// places are those of a group but for one's own, as many as are told.
func places(all []Merged, group []int, own int) []Place {
	if len(group) == 1 {
		return nil
	}
	list := make([]Place, 0, min(len(group)-1, maxAlso))
	for _, i := range group {
		if i != own && len(list) < maxAlso {
			list = append(list, all[i].Place())
		}
	}
	return list
}
