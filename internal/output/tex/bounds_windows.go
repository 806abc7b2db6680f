package tex

import (
	"strconv"
	"time"

	"github.com/research-council/research-council/internal/base/job"
)

// maxMemory is more than any paper needs, in bytes.
const maxMemory = 6 << 30

// bounded is the program itself: its job bounds it.
func (*buildFolder) bounded(program string, args []string) []string {
	return append([]string{program}, args...)
}

// newJob is what a program is held in, with what it may use of processor time and
// memory; what it writes into files is not bounded here.
func (b *buildFolder) newJob() (*job.Job, error) {
	seconds, err := strconv.Atoi(b.limit)
	if err != nil {
		return nil, err
	}
	j, err := job.New()
	if err != nil {
		return nil, err
	}
	if err := j.Bound(maxMemory, time.Duration(seconds)*time.Second); err != nil {
		j.Close()
		return nil, err
	}
	return j, nil
}
