package trial

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// programs is the folder of council, council-hook and council-fleet, built once;
// program is the server's program, "" where there is none.
var programs, program string

func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "seat" {
		os.Exit(scriptedSeat(os.Args[2]))
	}
	os.Exit(runTests(m))
}

func runTests(m *testing.M) int {
	if program = findTemporal(); program == "" {
		return m.Run()
	}
	dir, err := os.MkdirTemp("", "programs")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	for from, packages := range map[string][]string{"../../..": {"./cmd/council", "./cmd/council-hook"}, "../..": {"./cmd/council-fleet"}} {
		build := exec.Command("go", append([]string{"build", "-o", dir + "/"}, packages...)...)
		build.Dir = from
		if out, err := build.CombinedOutput(); err != nil {
			fmt.Fprintf(os.Stderr, "%s%v\n", out, err)
			return 1
		}
	}
	programs = dir
	return m.Run()
}

func findTemporal() string {
	if named := os.Getenv("COUNCIL_TEMPORAL"); named != "" {
		return named
	}
	if built, _ := filepath.Glob("../../../bin/temporal-v*"); len(built) > 0 { // the pattern is good
		path, _ := filepath.Abs(built[0]) // else it is not found, and said
		return path
	}
	found, _ := exec.LookPath("temporal") // none is none
	return found
}

// needsServer skips a test where there is no server to be had, and says how there is.
func needsServer(t *testing.T) {
	if program == "" {
		t.Skip("no temporal program: `make temporal` builds it, COUNCIL_TEMPORAL names another")
	}
}

// number is a size of a trial.
func number(t *testing.T, name string, usual int) int {
	text := os.Getenv(name)
	if text == "" {
		return usual
	}
	n, err := strconv.Atoi(text)
	require.NoError(t, err, name)
	return n
}

// scriptedSeat asks the model server once, and says the same whatever it is asked.
func scriptedSeat(server string) int {
	_, _ = io.Copy(io.Discard, os.Stdin)
	report := os.Getenv("RESEARCH_REPORT_PATH")
	answer, err := http.Post(server, "text/plain", strings.NewReader(report+"\n"+os.Getenv("RESEARCH_COUNCIL_TURN")))
	if err != nil || answer.StatusCode != http.StatusOK {
		return 1
	}
	_ = answer.Body.Close()
	said := strings.Repeat("The kettle rests while it is empty, as its notes say at some length and for good reason. ", 4)
	claim := `{"text":"The kettle rests.","quote":"The kettle rests while it is empty.","source":"notes.md:1"}` + "\n"
	_ = os.WriteFile(filepath.Join(filepath.Dir(report), "claims.jsonl"), []byte(claim), 0o600)
	if os.WriteFile(report, []byte("# Kettles\n\n"+said+os.Getenv("RESEARCH_COUNCIL_TURN")+"\n\n<!-- RESEARCH_COMPLETE -->\n"), 0o600) != nil {
		return 1
	}
	fmt.Println(`{"text":"done","usd":0.01}`)
	return 0
}

// await waits until something is so.
func await(t *testing.T, what string, within time.Duration, so func() bool) {
	t.Helper()
	for end := time.Now().Add(within); !so(); time.Sleep(200 * time.Millisecond) {
		require.True(t, time.Now().Before(end), "%s: not within %s", what, within)
	}
}
