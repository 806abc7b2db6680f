package librarian

import (
	"strings"
	"unicode/utf8"

	"github.com/research-council/research-council/internal/base/words"
)

// Bounds of passages, in lines. A passage is what a reader takes in at once.
const (
	wholeUnit   = 42 // a declaration up to this long is one passage
	chunk       = 30 // longer ones are cut near this length
	paragraph   = 14 // comments and documents are cut near this length
	tiny        = 5  // shorter neighbours are joined
	joined      = 12 // up to this length
	designNotes = 4  // a comment that stands alone is documentation from this length
	maxLine     = 2000
	maxLines    = 200_000
)

// Split cuts a text into passages. Every line belongs to at most one; lines
// that say nothing, license headers, lines no reader could read and bytes that
// are no UTF-8 belong to none.
func Split(name, text string) []Passage {
	lines := strings.Split(text, "\n")
	if len(lines) > maxLines {
		lines = lines[:maxLines]
	}
	for i := range lines {
		lines[i] = strings.TrimSuffix(lines[i], "\r")
	}
	f := formOf(name)
	s := splitter{name: name, shard: shardOf(name), form: f, lines: lines, kinds: f.kinds(lines)}
	if f.document {
		s.splitDocument()
	} else {
		s.splitSource()
	}
	return s.out
}

type splitter struct {
	name  string
	shard Shard
	form  form
	lines []string
	kinds []byte
	out   []Passage
}

// add makes a passage of the lines from a to b, b excluded, blank ones at its
// ends left out.
func (s *splitter) add(a, b int, head string, shard Shard) {
	for a < b && s.kinds[a] == blankLine {
		a++
	}
	for b > a && s.kinds[b-1] == blankLine {
		b--
	}
	if a >= b {
		return
	}
	text := strings.Join(s.lines[a:b], "\n")
	if !utf8.ValidString(text) || strings.ContainsRune(text, 0) || !isReadable(s.lines[a:b]) {
		return
	}
	s.out = append(s.out, Passage{
		Path: s.name, First: a + 1, Last: b, Text: text, Kinds: string(s.kinds[a:b]),
		Head: head, Shard: shard,
	})
}

func isReadable(lines []string) bool {
	letters := 0
	for _, l := range lines {
		if len(l) > maxLine {
			return false
		}
		for _, r := range l {
			if r >= 'A' && words.IsPart(r) {
				letters++
			}
		}
	}
	return letters >= 3
}

// splitDocument cuts at headings and, within their sections, between paragraphs.
func (s *splitter) splitDocument() {
	titles := make([]string, 7)
	head, start := "", 0
	for i := 0; i <= len(s.lines); i++ {
		if i < len(s.lines) && s.kinds[i] != headLine {
			continue
		}
		s.splitSection(start, i, head)
		if i == len(s.lines) {
			return
		}
		level, title := titleOf(s.lines[i])
		if title != "" {
			titles[level] = title
			clear(titles[level+1:])
			head = strings.Join(nonEmpty(titles), " › ")
		}
		start = i + 1
	}
}

func nonEmpty(titles []string) []string {
	var out []string
	for _, t := range titles {
		if t != "" {
			out = append(out, t)
		}
	}
	return out
}

// titleOf reads a heading; its level is from 1 to 6.
func titleOf(line string) (int, string) {
	line = strings.TrimSpace(line)
	level := len(line) - len(strings.TrimLeft(line, "#="))
	title := strings.Trim(line, "#= ")
	if level == 0 && len(line) > 3 && line[0] == '<' {
		level = int(line[2] - '0')
		title = strings.TrimSpace(stripTags(line))
	}
	if isUnderline(line) {
		return 1, ""
	}
	return min(max(level, 1), 6), cutRunes(title, 120)
}

// stripTags drops what stands between < and >.
func stripTags(s string) string {
	if !strings.Contains(s, "<") {
		return s
	}
	var b strings.Builder
	for s != "" {
		before, rest, ok := strings.Cut(s, "<")
		b.WriteString(before)
		if !ok {
			break
		}
		_, after, closed := strings.Cut(rest, ">")
		if !closed {
			b.WriteString("<" + rest)
			break
		}
		s = after
	}
	return b.String()
}

func cutRunes(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n])
	}
	return s
}

// splitSection cuts the lines from a to b into passages of whole paragraphs.
func (s *splitter) splitSection(a, b int, head string) {
	s.cutAt(a, b, paragraph, head, s.shard, func(i int) bool { return s.kinds[i] == blankLine })
}

// cutAt makes passages of about size lines, cut where may allows it, and
// anywhere once they are three times that long.
func (s *splitter) cutAt(a, b, size int, head string, shard Shard, may func(int) bool) {
	start := a
	for i := a; i < b; i++ {
		if i-start >= 3*size || i-start >= tiny && may(i) && s.nextBlock(i, b, may)-start > size {
			s.add(start, i, head, shard)
			start = i
		}
	}
	s.add(start, b, head, shard)
}

// nextBlock is where the block that begins behind i ends.
func (s *splitter) nextBlock(i, b int, may func(int) bool) int {
	for i++; i < b && !may(i); i++ {
	}
	return i
}

// splitSource cuts at declarations: lines without indentation behind a blank line,
// or behind the brace that closed the one before.
func (s *splitter) splitSource() {
	start := s.licenseEnd()
	units := []int{start}
	for i := start + 1; i < len(s.lines); i++ {
		if s.beginsDeclaration(i) {
			units = append(units, i)
		}
	}
	units = append(units, len(s.lines))
	for n := 0; n+1 < len(units); n++ {
		a, b := units[n], units[n+1]
		for n+2 < len(units) && s.isShortCode(a, b) && s.isShortCode(b, units[n+2]) && units[n+2]-a <= joined {
			n++
			b = units[n+1]
		}
		s.splitDeclaration(a, b)
	}
}

// beginsDeclaration reports whether a line begins a declaration or its comment.
func (s *splitter) beginsDeclaration(i int) bool {
	if s.kinds[i] == blankLine || s.form.data {
		return s.form.data && i > 0 && s.kinds[i-1] == blankLine
	}
	line := s.lines[i]
	if line == "" || line[0] == ' ' || line[0] == '\t' || line[0] == '}' || line[0] == ')' || isJumpLabel(line) {
		return false
	}
	before := s.lines[i-1]
	return s.kinds[i-1] == blankLine || strings.HasPrefix(before, "}")
}

// isJumpLabel reports whether a line is the target of a jump.
func isJumpLabel(line string) bool {
	name, ok := strings.CutSuffix(strings.TrimSpace(line), ":")
	return ok && !strings.ContainsAny(name, " (.")
}

// isShortCode reports whether the lines are few and code alone.
func (s *splitter) isShortCode(a, b int) bool {
	for _, k := range s.kinds[a:b] {
		if k == commentLine {
			return false
		}
	}
	return b-a <= tiny+1
}

// licenseEnd is where a file begins behind its license header.
func (s *splitter) licenseEnd() int {
	end := 0
	for end < len(s.lines) && s.kinds[end] == commentLine {
		end++
	}
	top := strings.ToLower(strings.Join(s.lines[:min(end, 4)], "\n"))
	if strings.Contains(top, "copyright") || strings.Contains(top, "spdx-") || strings.Contains(top, "license") {
		return min(end, max(len(s.lines)-1, 0))
	}
	return 0
}

// splitDeclaration makes passages of one declaration with its comment.
func (s *splitter) splitDeclaration(a, b int) {
	body := a
	for body < b && (s.kinds[body] == commentLine || s.kinds[body] == blankLine) {
		body++
	}
	if body == b || s.namesPackage(body) && body-a >= 2 {
		s.splitNotes(a, body, b)
		return
	}
	head := s.declarationLine(body, b)
	if s.usedLength(a, b) <= wholeUnit {
		s.add(a, b, head, s.shard)
		return
	}
	if body-a > paragraph {
		s.cutAt(a, body, paragraph, head, s.shard, s.saysNothing)
		a = body
	}
	s.cutAt(a, b, chunk, head, s.shard, func(i int) bool {
		return s.kinds[i] == blankLine || s.kinds[i] == commentLine && s.kinds[i-1] != commentLine
	})
}

// declarationLine is the first line of code that declares something.
func (s *splitter) declarationLine(body, b int) string {
	for i := body; i < b; i++ {
		line := strings.TrimSpace(s.lines[i])
		if s.kinds[i] == codeLine && !strings.HasPrefix(line, "//") && !strings.HasPrefix(line, "@") && !strings.HasPrefix(line, "#[") {
			return cutRunes(strings.TrimRight(line, " {("), 160)
		}
	}
	return ""
}

func (s *splitter) usedLength(a, b int) int {
	for b > a && s.kinds[b-1] == blankLine {
		b--
	}
	return b - a
}

// namesPackage reports whether a line names the file's package.
func (s *splitter) namesPackage(i int) bool {
	first, _, _ := strings.Cut(strings.TrimSpace(s.lines[i]), " ")
	return first == "package" || first == "module" || first == "namespace" || first == "library"
}

// splitNotes makes passages of a comment that belongs to no declaration: from some
// length on it is documentation.
func (s *splitter) splitNotes(a, body, b int) {
	shard := s.shard
	if shard == Code && (body < b || s.usedLength(a, body) >= designNotes) {
		shard = Official
	}
	head := s.commentTitle(a, body)
	if s.usedLength(a, b) <= paragraph {
		s.add(a, b, head, shard)
		return
	}
	s.cutAt(a, body, paragraph, head, shard, s.saysNothing)
	s.add(body, b, head, s.shard)
}

// commentTitle is the first line of a comment where it reads like one.
func (s *splitter) commentTitle(a, body int) string {
	for i := a; i < body; i++ {
		if s.kinds[i] != commentLine {
			continue
		}
		start, end, _ := textSpan(s.lines[i], commentLine)
		if start < end {
			return cutRunes(s.lines[i][start:end], 120)
		}
	}
	return ""
}

// saysNothing reports whether a line of a comment says nothing.
func (s *splitter) saysNothing(i int) bool {
	if s.kinds[i] != commentLine {
		return s.kinds[i] == blankLine
	}
	start, end, _ := textSpan(s.lines[i], commentLine)
	return start >= end
}
