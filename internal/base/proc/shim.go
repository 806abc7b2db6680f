package proc

import "strings"

// shimTarget is what a batch file of npm's starts, below its own folder, told by
// its last line alone; "" where it is none that npm has written. Its two forms:
//
//	… & "%_prog%"  "%dp0%\node_modules\@openai\codex\bin\codex.js" %*
//	"%dp0%\node_modules\@anthropic-ai\claude-code\bin\claude.exe"   %*
//
// The first is node's where the file says so before.
func shimTarget(text string) (target string, byNode bool) {
	lines := strings.Split(strings.TrimSpace(strings.ReplaceAll(text, "\r\n", "\n")), "\n")
	line, all := strings.CutSuffix(strings.TrimSpace(lines[len(lines)-1]), "%*")
	words := strings.Split(line, `"`)
	if !all || len(words) < 3 {
		return "", false
	}
	target, below := strings.CutPrefix(words[len(words)-2], `%dp0%\`)
	if !below || strings.ContainsAny(target, "%!^&|<>:*?") {
		return "", false
	}
	switch {
	case len(words) == 3 && words[0] == "" && strings.HasSuffix(strings.ToLower(target), ".exe"):
		return target, false
	case len(words) == 5 && words[1] == "%_prog%" && strings.Contains(text, `SET "_prog=node"`):
		return target, true
	}
	return "", false
}
