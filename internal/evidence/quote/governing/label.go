package governing

import (
	"slices"
	"strings"
	"unicode"

	"github.com/research-council/research-council/internal/evidence/guard"
)

// deniedLabel gives what stands behind the colon of a line whose label a passage ends with, where that is a
// "no" or "not" and hardly more: "Explosion proof: no" says the contrary of "Explosion proof".
func deniedLabel(text string, start, end int, language string) (string, bool) {
	const longest, most = 80, 3 // bytes of a label, and of the line behind it, words of its value
	label := text[max(0, end-longest-1):end]
	if line := strings.LastIndexByte(label, '\n') + 1; line == 0 && len(label) > longest || strings.ContainsAny(label[line:], ".!?") {
		return "", false
	}
	rest := strings.TrimLeft(text[end:min(len(text), end+longest)], " \t\u00a0")
	value, found := strings.CutPrefix(rest, ":")
	if wide, ok := strings.CutPrefix(rest, "："); ok {
		value, found = wide, true
	}
	if !found && (end == start || text[end-1] != ':') || !found && rest == "" {
		return "", false
	}
	if !found {
		value = rest
	}
	if value, found = beforeLineEnd(value, end+longest >= len(text)); !found {
		return "", false
	}
	value = strings.Trim(value, " \t\r\u00a0.")
	if value == "" || len(strings.Fields(value)) > most || strings.ContainsFunc(value, unicode.IsDigit) { // No. 4
		return "", false
	}
	if slices.Contains(strings.Fields(answersNo), strings.ToLower(value)) {
		return value, true
	}
	list := guard.WordsIn(value, func() string { return language })
	return value, len(list) > 0 && list[0].Start == 0 && list[0].Kind == guard.Negation && list[0].Norm != "without"
}

// answersNo are what a "no" is as an answer by itself.
const answersNo = "no nein non não nie nee nej nei ei нет ні ne hayır tidak không όχι لا 否 无 無 不 いいえ なし 아니요 아니오 없음"

// beforeLineEnd is a text before its first line end, or all of it where it is the last of its kind.
func beforeLineEnd(text string, last bool) (string, bool) {
	line, _, found := strings.Cut(text, "\n")
	return line, found || last
}
