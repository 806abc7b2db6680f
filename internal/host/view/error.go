package view

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/research-council/research-council/internal/base/disk"
	"github.com/research-council/research-council/internal/base/plain"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/journal"
)

// ErrorLine is one line that names a mistake and, where there is one, the remedy.
func ErrorLine(err error) string {
	var held *journal.LeaseHeld
	var damage *journal.Damaged
	text := plain.Line(err.Error(), 2000)
	switch {
	case errors.As(err, &held):
		return fmt.Sprintf("process %d already works on this run; follow it with `council watch`, or end it with `council cancel`", held.Holder.PID)
	case errors.As(err, new(*journal.ForeignFormat)):
		return text
	case errors.As(err, &damage), errors.As(err, new(*flow.JournalGap)):
		return text + "; restore it from a copy, or begin a new run (nothing has been changed)"
	case errors.Is(err, fs.ErrPermission):
		return text + "; give this user write access, or choose another folder with --project"
	case errors.Is(err, disk.ReadOnly):
		return text + "; choose a folder that can be written with --project"
	case disk.IsFull(err):
		return text + "; make room on the disk and try again (`council resume` goes on with a run)"
	}
	return text
}
