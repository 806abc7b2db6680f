//go:build !linux

package checkpoint

import "os"

// cloneFile makes a file share another's bytes; only Linux is asked to.
func cloneFile(_, _ *os.File) error { return errNoClone }
