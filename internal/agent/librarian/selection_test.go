package librarian_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/agent/librarian"
	"github.com/research-council/research-council/internal/agent/librarian/librariantest"
	"github.com/research-council/research-council/internal/evidence/claim"
	"github.com/research-council/research-council/internal/evidence/quote"
)

// pumps is a folder in which little of what speaks of the pump can be a claim.
var pumps = map[string]string{
	"README.md": `# Pump

![pump](pump.png) the pump <a href="x"/>

The [pump](docs/pump.md) fills the tank before the wash begins.

The number of turns of the pump that were counted in the last wash.

Example of the pump and its valve:

| pump | valve | turns per wash of the pump |

## License

The pump may be used by everybody under the terms of this license.
`,
	"LICENSE":         "The pump is provided as it is, without warranty of any kind.\n",
	"CONTRIBUTING.md": "The pump of your change is reviewed by two people.\n",
	"pump.go": `package wash

// Pump moves water from the tank to the drum until the sensor reports that it is full.
type Pump struct{}

// Returns the pump of the second drum.
func second() Pump {
	// Update the pump before the next turn of the drum.
	return Pump{}
}
`,
	"pump_test.go": `package wash

// TestPump holds that the pump stops when the drum is full of water.
func TestPump() {}
`,
}

func said(t *testing.T, topic string) string {
	var out []string
	for _, shard := range librarian.Shards() {
		r := ask(t, librarian.Question{Topic: topic, Shard: shard, Iterations: 3}, librariantest.NewMemory(pumps))
		for _, f := range r.Findings {
			if f.Prose {
				out = append(out, f.Claim())
			}
		}
	}
	return strings.Join(out, "\n")
}

func TestClaimsAreWholeSentencesAboutTheSubject(t *testing.T) {
	claims := said(t, "What does the pump do?")
	require.Contains(t, claims, "Pump moves water from the tank to the drum")
	require.Contains(t, claims, "The pump fills the tank before the wash begins.")
	for what, words := range map[string]string{
		"markup": "href", "a noun without a verb": "number of turns", "what only announces": "Example", "a table": "turns per wash",
		"a licence in a document": "used by everybody", "a licence": "warranty", "who may take part": "two people",
		"a comment without its subject": "Returns the", "a step of a function": "Update the", "a test": "drum is full of water",
	} {
		require.NotContains(t, claims, words, what)
	}
}

func TestWhatSurroundsASubjectIsFoundByWhoAsksForIt(t *testing.T) {
	require.Contains(t, said(t, "What does the test of the pump hold?"), "TestPump holds that the pump stops")
	require.Contains(t, said(t, "Which warranty does the license of the pump give?"), "without warranty")
}

func TestAFileInHTMLIsClaimedAsItIsRead(t *testing.T) {
	page := "<html><body>\n<p>The <b>pump</b> moves water from the <a href=\"tank.html\">tank</a>\nto the drum at 2<sup>3</sup> litres a minute.\nA <code class=\"part\">pump</code> that runs dry stops within four seconds.</p>\n</body></html>\n"
	lib := librariantest.NewMemory(map[string]string{"docs/pump.html": page})
	claims := string(librarian.Claims(ask(t, librarian.Question{Topic: "What does the pump move, and when does the pump stop?", Iterations: 2}, lib)))
	require.Contains(t, claims, "The pump moves water from the tank to the drum at 2^3 litres a minute.")
	require.Contains(t, claims, "A pump that runs dry stops within four seconds.")
	require.NotContains(t, claims, "<")
	drafts, refused := claim.Decode(strings.NewReader(claims), "librarian", "research")
	require.Empty(t, refused)
	for _, d := range drafts {
		m, ok := quote.Find(page, d.Quote)
		require.True(t, ok, d.Quote)
		require.Empty(t, m.Findings, d.Quote)
	}
}
