package view

import (
	"fmt"
	"io"
	"os"

	"github.com/charmbracelet/x/term"
)

// Width is how many cells a line of a terminal has; 0 where there is none.
func Width(w io.Writer) int {
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(f.Fd()) {
		return 0
	}
	width, _, err := term.GetSize(f.Fd())
	if err != nil {
		return 0
	}
	return width
}

// IsTerminal reports whether a stream is a terminal.
func IsTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(f.Fd())
}

// Progress tells how many sources of a name are done, in a line that is written
// over; nil where nobody looks on.
func Progress(w io.Writer, name string) func(done, all int) {
	if Width(w) == 0 {
		return nil
	}
	return func(done, all int) {
		end := ""
		if done == all {
			end = "\r\x1b[K"
		}
		fmt.Fprintf(w, "\r%s: %d of %d sources%s", name, done, all, end)
	}
}
