package scope_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/evidence/scope"
)

func TestAQuestionOfTheProjectIsToldFromOthers(t *testing.T) {
	rows, err := os.ReadFile("testdata/local.tsv")
	require.NoError(t, err)
	for row := range strings.Lines(string(rows)) {
		cells := strings.Split(strings.TrimSuffix(row, "\n"), "\t")
		said, local := scope.SpeaksOfProject(cells[1], func(string) bool { return false })
		require.Equal(t, cells[2] == "project", local, "%s: %s (%s)", cells[1], cells[3], said)
		require.Equal(t, local, said != "", cells[1])
	}
}

func TestAPathThatIsThereIsOfTheProject(t *testing.T) {
	there := func(name string) bool { return name == "Node.js" || name == "src/runtime/proc.go" || name == "CI/CD" }
	for _, topic := range []string{"What is in Node.js?", "What does src/runtime/proc.go in golang/go do?", "What is CI/CD for?"} {
		_, local := scope.SpeaksOfProject(topic, there)
		require.True(t, local, topic)
	}
	_, local := scope.SpeaksOfProject("What stands in /etc/passwd and ../secret.md?", func(string) bool { return true })
	require.False(t, local, "what lies outside is never the project's")
}

func FuzzLocal(f *testing.F) {
	for _, s := range []string{"we", "a/b.go:1", "\"we", "«our»", "./", "#"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, topic string) {
		said, local := scope.SpeaksOfProject(topic, func(string) bool { return false })
		if local != (said != "") {
			t.Fatalf("%q: %q, %v", topic, said, local)
		}
	})
}
