// Package usage is a mistake in what was typed: a flag, an argument, a file
// that was named. Whoever finds one says so with an error of this package, and
// the program ends with the exit code for it, having changed nothing.
package usage

import (
	"errors"
	"fmt"
	"io/fs"
)

// Mistake is an error that what was typed has caused.
type Mistake struct{ error }

// Unwrap gives the error that says what is wrong.
func (m Mistake) Unwrap() error { return m.error }

// Errorf is a mistake in so many words, as [fmt.Errorf] makes them.
func Errorf(format string, args ...any) error { return Mistake{fmt.Errorf(format, args...)} }

// Of makes an error, which must not be nil, a mistake.
func Of(err error) error { return Mistake{err} }

// Cause is what the system says of a file, without its path and the call: for
// a line that names the file as it was typed.
func Cause(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}
