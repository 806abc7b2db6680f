package footprint

import (
	"os"
	"strconv"
	"strings"
)

// running are the processes of this user that work on runs, of whatever release.
func running() ([]Running, error) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return []Running{}, err
	}
	list := []Running{}
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || pid == os.Getpid() {
			continue
		}
		line, err := os.ReadFile("/proc/" + e.Name() + "/cmdline")
		if err != nil || !isOurs(e) {
			continue // it has ended, or is another user's
		}
		if r, is := worker(pid, strings.Split(string(line), "\x00")); is {
			list = append(list, r)
		}
	}
	return list, nil
}

func isOurs(e os.DirEntry) bool { return ownerOf("/proc/"+e.Name()) == "" }
