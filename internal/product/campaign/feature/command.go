package feature

import (
	"errors"
	"fmt"
	"strings"
)

// maxCommandBytes bounds a test command, in bytes.
const maxCommandBytes = 200

// CheckCommand refuses what is no plain command line: one program and its
// arguments, on one line, with nothing in it that a shell reads as more than
// words. A model has chosen it, and people are to see at a glance what is run.
func CheckCommand(text string) error {
	switch {
	case text == "":
		return errors.New("it is empty")
	case len(text) > maxCommandBytes:
		return fmt.Errorf("it is longer than %d characters", maxCommandBytes)
	}
	if i := strings.IndexFunc(text, func(r rune) bool { return !isPlainRune(r) }); i >= 0 {
		return fmt.Errorf("%s stands in it: a test command is one program with its arguments, without what a shell would act on", quoted(text[i:]))
	}
	first, _, _ := strings.Cut(text, " ")
	if strings.Contains(first, "=") || strings.HasPrefix(first, "-") {
		return fmt.Errorf("%s is no program's name", quoted(first))
	}
	return nil
}

// isPlainRune reports whether a shell takes a character for itself, wherever it
// stands in a word.
func isPlainRune(r rune) bool {
	return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune(" ./_-+:,=@%^", r)
}

// checkTestCommand refuses a list whose test command is none.
func (l List) checkTestCommand() error {
	if l.Test == "" {
		return nil
	}
	if err := CheckCommand(l.Test); err != nil {
		return fmt.Errorf("test_command: %w; go test ./... is one", err)
	}
	return nil
}
