package claim

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// The quick reader takes what encoding/json takes, and finds the same in it.
func FuzzColumns(f *testing.F) {
	for _, line := range []string{
		`{}`, `{"text":"t","source":"s"}`, ` { "text" : "t" , "claim" : null } `, `{"te\u0078t":"t"}`, `{"text":"a","text":"b"}`, `{"text":"\ud800"}`,
		`{"x":[{"a":"}"}],"critical":true}`, `{"x":1e5,"seat":"é"}`, `{"x":01}`, `{"text":"` + "\xff" + `"}`, `{"a":"\q"}`, `{,}`, `{"a":1,}`, `{"a"}`, `{"questions":["Q1"]} x`,
	} {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		line = bytes.TrimSpace(line)
		var quick, slow rawFields
		errQuick, errSlow := quick.read(line), slow.readSlowly(line)
		if len(line) == 0 || line[0] != '{' {
			require.Error(t, errQuick)
			return
		}
		require.Equal(t, errSlow == nil, errQuick == nil, "%q: %v, %v", line, errQuick, errSlow)
		if errSlow != nil {
			return
		}
		for _, key := range []string{"text", "claim", "source", "evidence", "seat", "agent", "family", "confidence", "source_type", "questions", "critical"} {
			a, b := *quick.field([]byte(key)), *slow.field([]byte(key))
			var x, y any
			if len(a) > 0 {
				require.NoError(t, json.Unmarshal(a, &x))
			}
			if len(b) > 0 {
				require.NoError(t, json.Unmarshal(b, &y))
			}
			require.Equal(t, y, x, "%s of %q", key, line)
		}
	})
}

// Ten thousand sets, some alike: the same pairs as by comparing all with all.
func TestJoinOfManyTexts(t *testing.T) {
	texts := claims(2000, 100, 600)
	require.Equal(t, sortPairs(all(texts)), sortPairs(joined(texts)))
}

func TestMergedIsWrittenAsJSON(t *testing.T) {
	word := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"", "a<b>&c", "\u2028\x7f\"\\", "é\xff"}))
	rapid.Check(t, func(t *rapid.T) {
		words := func(name string) []string { return rapid.SliceOfN(word, 0, 3).Draw(t, name) }
		m := Merged{
			ID: word.Draw(t, "id"), Text: word.Draw(t, "text"), Source: word.Draw(t, "source"), Key: word.Draw(t, "key"), Type: SourceType(word.Draw(t, "type")),
			Confidence: Confidence(word.Draw(t, "confidence")), Critical: rapid.Bool().Draw(t, "critical"), Seats: words("seats"), Families: words("families"),
			Members: rapid.SliceOfN(rapid.Uint32(), 1, 4).Draw(t, "members"), Sources: rapid.Int().Draw(t, "sources"), Agreed: rapid.Bool().Draw(t, "agreed"), Conflicts: words("conflicts"),
		}
		var want bytes.Buffer
		enc := json.NewEncoder(&want)
		enc.SetEscapeHTML(false)
		require.NoError(t, enc.Encode(m))
		require.Equal(t, want.String(), string(m.append(nil)))
	})
}

func TestPlain(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"  It \t grew\r\n a lot . ", "it grew a lot"},
		{"It\u00a0grew \u2003 a lot.", "it grew a lot"},
		{"é grew\u00a0", "é grew"},
		{"US law", "US law"},
		{"A.", "A"},
		{"Ärger", "ärger"},
		{".", ""},
		{"", ""},
	} {
		require.Equal(t, c.want, string(appendNormalised(nil, []byte(c.text))), c.text)
	}
}
