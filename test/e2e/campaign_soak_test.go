package e2e_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Bounds of a campaign of a thousand iterations, which is some 96 hours of a
// real one.
const (
	mostResident = 300 << 10 // KiB of the supervisor's memory
	soakResearch = 900
	soakPlanning = 60
)

// soakVariable switches the soak on, which takes minutes: `make soak`.
const soakVariable = "COUNCIL_SOAK"

// sample is a process at a moment.
type sample struct {
	resident int // KiB
	files    int // open
}

func sampled(pid int) (sample, bool) {
	dir := filepath.Join("/proc", strconv.Itoa(pid))
	status, err := os.ReadFile(filepath.Join(dir, "status"))
	if err != nil {
		return sample{}, false
	}
	_, rest, found := strings.Cut(string(status), "VmRSS:")
	open, err := os.ReadDir(filepath.Join(dir, "fd"))
	if !found || err != nil {
		return sample{}, false
	}
	kib, err := strconv.Atoi(strings.Fields(rest)[0])
	return sample{kib, len(open)}, err == nil
}

// TestAThousandIterationsStaySmall watches one supervisor through a thousand
// iterations: its memory stays below a bound, and it opens no more files in
// the last tenth than in the first.
func TestAThousandIterationsStaySmall(t *testing.T) {
	if os.Getenv(soakVariable) != "1" {
		t.Skip("it takes minutes: make soak")
	}
	if _, err := os.Stat("/proc/self/fd"); err != nil {
		t.Skip("this system has no /proc to look at a process by")
	}
	l := newLaboratory(t)
	l.put("notes.md", "# Notes\n\n"+corpus(2*soakResearch+10))
	l.git("commit", "-q", "-a", "-m", "more notes")
	cmd := l.council(
		"run", "full-auto", topic, "Build the files.", "--seats", "worker", "--scope", ".", "--quiet",
		"--research", strconv.Itoa(soakResearch), "--planning", strconv.Itoa(soakPlanning), "--max-iterations", "1100", "--test-command", "sh check.sh",
	)
	begun := time.Now()
	require.NoError(t, cmd.Start())
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	var samples []sample
	look := time.NewTicker(100 * time.Millisecond)
	defer look.Stop()
	for over := false; !over; {
		select {
		case err := <-ended:
			require.True(t, cameToItsEnd(err), fmt.Sprint(cmd.Stderr))
			over = true
		case <-look.C:
			if s, ok := sampled(cmd.Process.Pid); ok {
				samples = append(samples, s)
			}
		}
	}
	took := time.Since(begun)
	done := l.outcome().State.Iteration
	require.GreaterOrEqual(t, done, 1000)
	tenth := len(samples) / 10
	first, last, all := most(samples[:tenth]), most(samples[len(samples)-tenth:]), most(samples)
	t.Logf("%d iterations in %s: at most %d MiB resident (%d in the first tenth, %d in the last), open files at most %d (%d, %d)",
		done, took.Round(time.Second), all.resident>>10, first.resident>>10, last.resident>>10, all.files, first.files, last.files)
	require.Less(t, all.resident, mostResident)
	require.LessOrEqual(t, last.files, first.files, "it leaves files open")
}

// most is the most of each that was seen.
func most(samples []sample) sample {
	var m sample
	for _, s := range samples {
		m.resident, m.files = max(m.resident, s.resident), max(m.files, s.files)
	}
	return m
}
