package feature

import (
	"fmt"
	"strings"
)

// check refuses a list that could not be worked through, naming the ids.
func (l List) check() error {
	if len(l.Features) > MaxFeatures {
		return fmt.Errorf("%d features are too many: a list may have %d", len(l.Features), MaxFeatures)
	}
	for _, c := range []func() error{l.words, l.checkDuplicates, l.checkDependencies, l.cycle, l.checkTestCommand} {
		if err := c(); err != nil {
			return err
		}
	}
	return nil
}

// words refuses features without a usable id, a name, or with endless words.
func (l List) words() error {
	var nameless, long []string
	for i, f := range l.Features {
		switch {
		case f.ID == "":
			return fmt.Errorf("feature %d (%s) has no id", i+1, quoted(f.Name))
		case !valid(f.ID):
			return fmt.Errorf("feature %d: %s is no id; one is a letter and up to 31 further letters, digits, - or _, as F001", i+1, quoted(f.ID))
		case f.Name == "":
			nameless = append(nameless, f.ID)
		case len(f.Description) > maxDescriptionBytes:
			long = append(long, f.ID)
		}
	}
	if len(nameless) > 0 {
		return fmt.Errorf("features without a name: %s", firstFew(nameless))
	}
	if len(long) > 0 {
		return fmt.Errorf("descriptions longer than %d KiB: %s", maxDescriptionBytes>>10, firstFew(long))
	}
	return nil
}

func valid(id string) bool {
	for i, r := range []byte(id) {
		letter := r|0x20 >= 'a' && r|0x20 <= 'z'
		if !letter && (i == 0 || r != '-' && r != '_' && (r < '0' || r > '9')) {
			return false
		}
	}
	return id != "" && len(id) <= 32
}

// checkDuplicates refuses ids that are there twice. Those that differ in case alone are
// one: they may become names of files and branches.
func (l List) checkDuplicates() error {
	seen := map[string]bool{}
	var double []string
	for _, f := range l.Features {
		id := strings.ToLower(f.ID)
		if seen[id] {
			double = append(double, f.ID)
		}
		seen[id] = true
	}
	if len(double) > 0 {
		return fmt.Errorf("ids given more than once: %s", firstFew(unique(double)))
	}
	return nil
}

// checkDependencies refuses dependencies on what is not in the list, or on itself.
func (l List) checkDependencies() error {
	known := make(map[string]bool, len(l.Features))
	for _, f := range l.Features {
		known[f.ID] = true
	}
	var itself, unknown []string
	for _, f := range l.Features {
		for _, d := range f.Dependencies {
			switch {
			case d == f.ID:
				itself = append(itself, f.ID)
			case !known[d]:
				unknown = append(unknown, f.ID+" on "+quoted(d))
			}
		}
	}
	if len(itself) > 0 {
		return fmt.Errorf("features that depend on themselves: %s", firstFew(itself))
	}
	if len(unknown) > 0 {
		return fmt.Errorf("dependencies that are not in the list: %s", firstFew(unknown))
	}
	return nil
}

// cycle refuses features that wait for one another.
func (l List) cycle() error {
	waits := l.unreachable()
	if len(waits) == 0 {
		return nil
	}
	// Each of these depends on another of these, so that following
	// dependencies must come to one that was met.
	var way []string
	met := map[string]int{}
	id := ""
	for _, f := range l.Features {
		if _, ok := waits[f.ID]; ok {
			id = f.ID
			break
		}
	}
	for {
		if at, again := met[id]; again {
			way = append(way[at:], id)
			return fmt.Errorf("features that wait for one another: %s", path(way))
		}
		met[id] = len(way)
		way = append(way, id)
		id = waits[id]
	}
}

// unreachable are the features that can never be reached, each with a dependency
// that cannot be either.
func (l List) unreachable() map[string]string {
	left := make(map[string]int, len(l.Features))
	dependents := map[string][]string{}
	var open []string
	for _, f := range l.Features {
		if left[f.ID] = len(f.Dependencies); left[f.ID] == 0 {
			open = append(open, f.ID)
		}
		for _, d := range f.Dependencies {
			dependents[d] = append(dependents[d], f.ID)
		}
	}
	for ; len(open) > 0; open = open[1:] {
		for _, id := range dependents[open[0]] {
			if left[id]--; left[id] == 0 {
				open = append(open, id)
			}
		}
	}
	waits := map[string]string{}
	for _, f := range l.Features {
		for _, d := range f.Dependencies {
			if left[f.ID] > 0 && left[d] > 0 {
				waits[f.ID] = d
			}
		}
	}
	return waits
}

// path shows a way from feature to feature, a long one by its ends.
func path(ids []string) string {
	if len(ids) > 2*maxNamed {
		ids = append(append(append([]string{}, ids[:maxNamed]...), "…"), ids[len(ids)-maxNamed:]...)
	}
	return strings.Join(ids, " → ")
}

// firstFew names the first of many.
func firstFew(ids []string) string {
	if len(ids) <= maxNamed {
		return strings.Join(ids, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(ids[:maxNamed], ", "), len(ids)-maxNamed)
}

// quoted shows foreign words within a line.
func quoted(s string) string { return fmt.Sprintf("%q", plainLine(s, 40)) }
