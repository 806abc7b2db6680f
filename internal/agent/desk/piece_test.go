package desk

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/research-council/research-council/internal/base/words"
	"github.com/research-council/research-council/internal/evidence/archive"
)

var texts = rapid.StringOf(rapid.SampledFrom([]rune("ab \n.é水`\U0001F600")))

func TestPiecesMakeTheWholeText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		body, limit := texts.Draw(t, "body"), rapid.IntRange(1, 40).Draw(t, "limit")
		var whole strings.Builder
		for at := 0; at < len(body); {
			start, end := piece(body, at, limit)
			require.Equal(t, at, start)
			require.Greater(t, end, start)
			require.LessOrEqual(t, end-start, max(limit, utf8.UTFMax))
			require.True(t, utf8.ValidString(body[start:end]))
			whole.WriteString(body[start:end])
			at = end
		}
		require.Equal(t, body, whole.String())
	})
}

func TestAPieceFromAnyByteCutsNoCharacter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		body := texts.Draw(t, "body")
		from := rapid.IntRange(0, len(body)).Draw(t, "from")
		start, end := piece(body, from, rapid.IntRange(1, 40).Draw(t, "limit"))
		require.LessOrEqual(t, start, from)
		require.True(t, utf8.ValidString(body[start:end]))
	})
}

func TestPassagesLeaveOutNothingButBlanks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		body := strings.Repeat(texts.Draw(t, "body"), 50)
		at := 0
		for start, end := range splitPassages(body) {
			require.Empty(t, strings.TrimSpace(body[at:start]))
			require.LessOrEqual(t, end-start, maxPassage)
			at = end
		}
		require.Empty(t, strings.TrimSpace(body[at:]))
	})
}

func TestNoTextClosesItsFence(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		body := texts.Draw(t, "body")
		framed := fenced(body)
		fence, rest, _ := strings.Cut(framed, "source\n")
		require.GreaterOrEqual(t, len(fence), 3)
		require.NotContains(t, body, fence)
		require.Equal(t, body+"\n"+fence+"\n", rest)
	})
}

func TestPrivateAddressesAreTold(t *testing.T) {
	for address, want := range map[string]bool{
		"http://127.0.0.1/": true, "http://10.1.2.3:8080/x": true, "https://[::1]/": true, "http://[fe80::1]/": true, "http://[fc00::1]/": true,
		"http://0.0.0.0/": true, "http://169.254.169.254/": true, "http://192.168.1.1/": true, "http://localhost/": true, "http://a.localhost/": true,
		"http://[::ffff:127.0.0.1]/": true, "https://example.org/": false, "https://93.184.216.34/": false, "https://localhost.example.org/": false,
	} {
		require.Equal(t, want, private(address), address)
	}
}

// BenchmarkSearch goes through 200 pages of 50 KB.
func BenchmarkSearch(b *testing.B) {
	var body strings.Builder
	for i := 0; body.Len() < 50<<10; i++ {
		fmt.Fprintf(&body, "Paragraph %d says that the scheduler of the kettle number %d steals work from its neighbours when it is idle.\n\n", i, i%17)
	}
	text := body.String()
	b.SetBytes(int64(200 * len(text)))
	for b.Loop() {
		s := pageSearch{stems: words.Stems("idle scheduler 16")}
		for range 200 {
			s.add(archive.Snapshot{Asked: "https://a.test/"}, text)
		}
		if len(s.rank(8)) == 0 {
			b.Fatal("nothing was found")
		}
	}
}
