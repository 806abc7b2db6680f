//go:build !linux

package footprint

import (
	"os"
	"os/exec"
	"strconv"
	"strings"
)

// running are the processes of this user that work on runs, of whatever release, as ps
// shows them: words with blanks in them come apart, and then the run is not told.
func running() ([]Running, error) {
	list := []Running{}
	out, err := exec.Command("ps", "-xww", "-o", "pid=,args=").Output()
	if err != nil {
		return list, nil // there is no ps: copies in use are seen by their locks
	}
	for line := range strings.Lines(string(out)) {
		words := strings.Fields(line)
		if len(words) < 3 {
			continue
		}
		pid, err := strconv.Atoi(words[0])
		if err != nil || pid == os.Getpid() {
			continue
		}
		if r, is := worker(pid, words[1:]); is {
			list = append(list, r)
		}
	}
	return list, nil
}
