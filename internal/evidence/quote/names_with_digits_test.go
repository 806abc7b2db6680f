package quote_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/evidence/quote"
)

// told is a text with a quotation of it, and one that is altered.
type told struct{ text, quoted, altered string }

// requireTold requires that each quotation is found without blame, and that the altered one is
// not.
func requireTold(t *testing.T, list []told) {
	t.Helper()
	for _, c := range list {
		m, ok := quote.Find(c.text, c.quoted)
		require.True(t, ok, c.quoted)
		require.Empty(t, m.Findings, c.quoted)
		m, ok = quote.Find(c.text, c.altered)
		require.False(t, ok && len(m.Findings) == 0, c.altered)
	}
}

// A digit behind a word may be the mark of a note, and part of a name. Where the text has
// it for a name, a quotation that has it is found through the markup around it, and one
// that has another digit or none is not.
func TestNamesThatEndWithDigits(t *testing.T) {
	requireTold(t, []told{
		{`<p>If a Linux <a href="fs.html">ext3</a> filesystem is mounted without barriers, files can be lost.</p>`, "If a Linux ext3 filesystem is mounted without barriers, files can be lost.", "If a Linux ext4 filesystem is mounted without barriers, files can be lost."},
		{"The server stores every name in `utf8` and sorts them by *code point*.", "The server stores every name in utf8 and sorts them by code point.", "The server stores every name in utf16 and sorts them by code point."},
		{"<p>Passwords hashed with <code>md5</code> are <em>rejected</em> since release 12.</p>", "Passwords hashed with md5 are rejected since release 12.", "Passwords hashed with md4 are rejected since release 12."},
		{"Der Treiber <b>nvme0</b> meldet jeden Ausfall <i>sofort</i> an den Kern.", "Der Treiber nvme0 meldet jeden Ausfall sofort an den Kern.", "Der Treiber nvme1 meldet jeden Ausfall sofort an den Kern."},
		{"The *log4j2* appender blocks when its queue is **full**.", "The log4j2 appender blocks when its queue is full.", "The log4j1 appender blocks when its queue is full."},
		{"Le paquet <tt>python3</tt> remplace <tt>python2</tt> depuis <i>2020</i>.", "Le paquet python3 remplace python2 depuis 2020.", "Le paquet python2 remplace python3 depuis 2020."},
	})
	m, ok := quote.Find("<p>The wells gave <b>12 litres</b> a day in spring.3 In summer they ran dry.</p>", "The wells gave 12 litres a day in spring. In summer they ran dry.")
	require.True(t, ok, "a note may still be left out")
	require.Empty(t, m.Findings)
}
