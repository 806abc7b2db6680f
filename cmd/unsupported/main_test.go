package main

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWhatCannotRunSaysSo(t *testing.T) {
	said := `{"systemMessage":"` + words + `"}` + "\n"
	stopped := `{"continue":false,"stopReason":"` + words + `"}` + "\n"
	for call, want := range map[string]struct {
		out, errs string
		status    int
	}{
		`C:/p/bin/council-hook.exe session-start`:         {said, "", 0},
		`C:/p/bin/Council-Hook.EXE user-prompt-expansion`: {stopped, "", 0},
		`C:/p/bin/council-hook.exe stop`:                  {"", "", 0},
		`C:/p/bin/council-hook.exe`:                       {"", "", 0},
		`C:/p/bin/council.exe run`:                        {"", "council: " + words + "\n", 1},
		`council`:                                         {"", "council: " + words + "\n", 1},
	} {
		var out, errs strings.Builder
		require.Equal(t, want.status, run(strings.Fields(call), &out, &errs), call)
		require.Equal(t, want.out, out.String(), call)
		require.Equal(t, want.errs, errs.String(), call)
	}
}

func TestItIsBuiltWhereNothingElseIs(t *testing.T) {
	cmd := exec.Command("go", "vet", ".")
	cmd.Env = append(cmd.Environ(), "GOOS=windows", "CGO_ENABLED=0")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
}
