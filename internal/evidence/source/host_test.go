package source_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/research-council/research-council/internal/evidence/source"
)

func TestDisplay(t *testing.T) {
	for _, c := range []struct{ name, written, shown string }{
		{"ASCII", "docs.example.com", "docs.example.com"},
		{"Latin letters", "bücher.example", "bücher.example"},
		{"Cyrillic alone", "президент.рф", "президент.рф"},
		{"Japanese", "日本語テスト.jp", "日本語テスト.jp"},
		{"Chinese with Latin", "中文abc.example", "中文abc.example"},
		{"Korean", "한국어.kr", "한국어.kr"},
		{"Latin with a Cyrillic а", "pаypal.com", "xn--pypal-4ve.com"},
		{"Latin with a Greek ο", "gοogle.com", "xn--gogle-rce.com"},
		{"Cyrillic that looks like Latin", "аррӏе.com", "xn--80ak6aa92e.com"},
		{"one label of several", "bücher.pаypal.com", "bücher.xn--pypal-4ve.com"},
	} {
		host := source.Host(source.Identify("https://" + c.written + "/").Key)
		require.NotContains(t, host, "ü", c.name)
		require.Equal(t, c.shown, source.Display(host), c.name)
	}
	for _, odd := range []string{"", ".", "xn--", "xn--.com", "xn--99999999999.com", "xn--a-.com", "xn--\x00.com", "xn--ls8h.la"} {
		require.Equal(t, odd, source.Display(odd), "shown as it is")
	}
}

// What is shown leads back to the same host.
func TestDisplayIsTheSameHost(t *testing.T) {
	label := rapid.StringOfN(rapid.SampledFrom([]rune("abz09-éüßñжяλ字かカ한ไทย")), 1, 12, -1)
	rapid.Check(t, func(t *rapid.T) {
		key := source.Identify("https://a" + label.Draw(t, "label") + ".test/").Key
		require.Equal(t, key, source.Identify("https://"+source.Display(source.Host(key))+"/").Key)
	})
}

func FuzzDisplay(f *testing.F) {
	f.Add("xn--bcher-kva.example")
	f.Add("xn--80ak6aa92e.com")
	f.Fuzz(func(t *testing.T, host string) {
		shown := source.Display(host)
		if source.Display(shown) != shown {
			t.Fatalf("%q is shown as %q and then as %q", host, shown, source.Display(shown))
		}
	})
}
