package reading

import (
	"regexp"
	"strings"
	"sync"
)

// titleOfSection is the number of a section and its title, as heads of pages have them.
var titleOfSection = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:\pL{3,10}\.?\s)?(?:\d{1,2}|[A-Z])(?:\.\d{1,2}){0,3}\.?\s+(\p{Lu}.*)$`)
})

// inContents is what stands behind a title in a list of contents: dots, and the number of a page.
var inContents = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\.\s?\.[\s.]*\d*$|\s\d{1,4}$`)
})

// markTitlesAgain marks the lines at the heads of pages which form feeds begin that are the title of a
// section and its number, where another line has the same title: one in a list of contents does not
// count, as the head may be the heading itself.
func markTitlesAgain(lines []pageLine) {
	heads := map[string][]int{}
	for i := 1; i < len(lines); i++ {
		if lines[i].fed {
			if title := titleAlone(lines[i].bare); title != "" {
				heads[title] = append(heads[title], i)
			}
		}
	}
	if len(heads) == 0 {
		return
	}
	times := map[string]int{}
	for _, l := range lines {
		if l.bare == "" || inContents().MatchString(l.bare) {
			continue
		}
		title := titleAlone(l.bare)
		if title == "" {
			title = titleWithoutMark(l.bare)
		}
		if _, ok := heads[title]; ok {
			times[title]++
		}
	}
	for title, list := range heads {
		for _, i := range list {
			lines[i].title = times[title] > 1
		}
	}
}

// titleAlone is the title of a section on a line that has the number of it too; "" for none.
func titleAlone(line string) string {
	m := titleOfSection().FindStringSubmatch(line)
	if m == nil {
		return ""
	}
	return titleWithoutMark(m[1])
}

// titleWithoutMark is a title without the mark of a note behind it, and with single blanks.
func titleWithoutMark(title string) string {
	return strings.Join(strings.Fields(strings.TrimRight(title, "0123456789*†‡")), " ")
}
