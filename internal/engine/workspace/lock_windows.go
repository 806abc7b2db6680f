package workspace

import (
	"os"

	"github.com/research-council/research-council/internal/base/disk"
	"github.com/research-council/research-council/internal/evidence/provenance"
)

// openLock opens what is locked of a folder for people: no folder can be locked
// here, so it is the file that says whose it is.
func openLock(root *os.Root) (*os.File, error) {
	return root.OpenFile(provenance.MarkerFile, os.O_RDWR|os.O_CREATE|disk.NoLink, 0o644)
}
