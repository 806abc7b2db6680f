package shell

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"github.com/research-council/research-council/internal/base/proc"
)

// Bounds are what a command, with all that it starts, may use. 0 is no bound.
type Bounds struct {
	CPU       time.Duration // of one process
	File      int64         // bytes of one file that it writes
	Disk      int64         // bytes it may leave in its folders, all together
	Files     int           // files it may leave there
	Memory    int64         // bytes that all processes hold together, and one may ask for
	Processes int           // at once
}

// line is what a shell runs first, for the system to hold single processes to the
// bounds. What a system has no bound for is watched, or not bounded.
func (b Bounds) line() string {
	const block, kilo = 512, 1 << 10
	limits := "ulimit -c 0\n"
	set := func(letter string, n int64) {
		if n > 0 {
			limits += fmt.Sprintf("ulimit -%s %d 2>/dev/null\n", letter, n)
		}
	}
	set("t", int64(b.CPU.Seconds()))
	set("f", b.File/block)
	set("d", b.Memory/kilo)
	if limits == "ulimit -c 0\n" {
		return ""
	}
	return limits
}

// How often what a command uses is looked at: its processes, and its folders,
// which costs more.
const (
	watchInterval  = 100 * time.Millisecond
	looksPerFolder = 10
)

// watch ends a command that uses more than it may, and then says what of it; ""
// when the command has ended otherwise.
func (b Bounds) watch(p *proc.Process, folders []string) <-chan string {
	over := make(chan string, 1)
	if b.Processes == 0 && b.Memory == 0 && b.Disk == 0 && b.Files == 0 {
		over <- ""
		return over
	}
	go func() {
		tick := time.NewTicker(watchInterval)
		defer tick.Stop()
		for n := 1; ; n++ {
			select {
			case <-p.Done():
				over <- ""
				return
			case <-tick.C:
			}
			why := b.exceededBy(p)
			if why == "" && n%looksPerFolder == 0 {
				why = b.exceededIn(folders)
			}
			if why != "" {
				p.End()
				over <- why
				return
			}
		}
	}()
	return over
}

// exceededBy says which bound the processes are beyond; "" for none.
func (b Bounds) exceededBy(p *proc.Process) string {
	processes, memory, err := p.Size()
	switch {
	case err != nil:
		return "" // it cannot be told now
	case b.Processes > 0 && processes > b.Processes:
		return fmt.Sprintf("it had more than %d processes at once", b.Processes)
	case b.Memory > 0 && memory > b.Memory:
		return fmt.Sprintf("it held more than %d MiB of memory", b.Memory>>20)
	}
	return ""
}

// exceededIn says which bound the folders are beyond; "" for none.
func (b Bounds) exceededIn(folders []string) string {
	var size int64
	files := 0
	for _, folder := range folders {
		_ = filepath.WalkDir(folder, func(_ string, d fs.DirEntry, err error) error {
			if err != nil {
				return nil // it has been removed, or cannot be looked into
			}
			files++
			if info, err := d.Info(); err == nil && info.Mode().IsRegular() {
				size += info.Size()
			}
			if b.Files > 0 && files > b.Files || b.Disk > 0 && size > b.Disk {
				return fs.SkipAll
			}
			return nil
		})
	}
	switch {
	case b.Files > 0 && files > b.Files:
		return fmt.Sprintf("it wrote more than %d files", b.Files)
	case b.Disk > 0 && size > b.Disk:
		return fmt.Sprintf("it wrote more than %d MiB", b.Disk>>20)
	}
	return ""
}
