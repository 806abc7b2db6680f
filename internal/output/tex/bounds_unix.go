//go:build unix

package tex

import "github.com/research-council/research-council/internal/base/job"

// resourceLimits holds a program and all it starts to processor time, size of files
// (blocks of 512 bytes) and memory (KiB) that no paper needs, also when nobody
// is left to end it. What the system cannot limit it leaves.
const resourceLimits = `ulimit -c 0; ulimit -t "$0"; ulimit -f 131072; ulimit -v 6291456 2>/dev/null; exec "$@"`

// bounded is what runs a program under these limits.
func (b *buildFolder) bounded(program string, args []string) []string {
	return append([]string{"/bin/sh", "-c", resourceLimits, b.limit, program}, args...)
}

// newJob is what a program is held in.
func (*buildFolder) newJob() (*job.Job, error) { return job.New() }
