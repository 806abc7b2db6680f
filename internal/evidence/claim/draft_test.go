package claim_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/evidence/claim"
)

func TestDecodeReadsWhatIsSaidOfAClaim(t *testing.T) {
	for _, c := range []struct {
		name, in string
		want     claim.Draft
	}{
		{
			"everything", `{"claim":"t","quote":"words of it","evidence":"a.go:1","confidence":"High","source_type":"official_doc","questions":["Q1","Q12"],"critical":true,"blast_radius":true,"pitfall":true}`,
			claim.Draft{Quote: "words of it", Type: claim.Official, Confidence: claim.High, Questions: []string{"Q1", "Q12"}, Critical: true, Blast: true, Pitfall: true},
		},
		{"text and source before their other names", `{"text":"t","claim":"x","source":"a.go:1","evidence":"y"}`, claim.Draft{}},
		{"an empty text and the other name", `{"text":"","claim":"t","source":null,"evidence":"a.go:1"}`, claim.Draft{}},
		{"any case", `{"text":"t","source":"a.go:1","confidence":" mEDium","source_type":"CODE_reference"}`, claim.Draft{Confidence: claim.Medium, Type: claim.Code}},
		{"unknown words", `{"text":"t","source":"a.go:1","confidence":"certain","source_type":"blog","critical":"perhaps"}`, claim.Draft{}},
		{"other types", `{"text":"t","source":"a.go:1","confidence":0.9,"source_type":[],"questions":{},"critical":1,"blast_radius":"true","pitfall":null}`, claim.Draft{Blast: true}},
		{"one question, not in a list", `{"text":"t","source":"a.go:1","questions":"q2"}`, claim.Draft{Questions: []string{"Q2"}}},
		{"what is no question", `{"text":"t","source":"a.go:1","questions":["Q2",7,"Q2","Why?",null,"Q0"]}`, claim.Draft{Questions: []string{"Q2"}}},
	} {
		c.want.Text, c.want.Source, c.want.Seat, c.want.Round = "t", "a.go:1", "s", "r"
		drafts, refused := claim.Decode(strings.NewReader(c.in), "s", "r")
		require.Empty(t, refused, c.name)
		require.Equal(t, []claim.Draft{c.want}, drafts, c.name)
	}
	_, refused := claim.Decode(strings.NewReader(`{"claim":"t","evidence":" "}`), "s", "r")
	require.Contains(t, refused[0].Reason, "without evidence it does not count")
}

func TestRegisterKeepsWhatIsSaidOfAClaim(t *testing.T) {
	entries := claim.Register(nil, []claim.Draft{
		{Text: "t", Quote: "q", Source: "https://a.test/", Type: claim.Official, Confidence: claim.Low, Questions: []string{"Q1"}, Seat: "a", Family: "x", Round: "research"},
		{Text: "t", Quote: "q", Source: "https://a.test/", Type: claim.Community, Confidence: claim.High, Questions: []string{"Q2", "Q1"}, Critical: true, Seat: "b", Family: "x", Round: "research"},
		{Text: "t", Quote: "q", Source: "https://a.test/", Pitfall: true, Blast: true, Seat: "c", Family: "y", Round: "refinement"},
	})
	require.Equal(t, []claim.Entry{{
		ID: "C1", Text: "t", Quote: "q", Source: "https://a.test/", Key: "url:a.test/", Type: claim.Community, CriticalBy: []string{"b"},
		TypeWhy: "not established: nothing shows that a.test speaks for what the claim is about", TypeSaid: claim.Community, Said: claim.High, Confidence: claim.Low,
		Questions: []string{"Q1", "Q2"}, Critical: true, Blast: true, Pitfall: true,
		Seats: []string{"a", "b", "c"}, Families: []string{"x", "y"}, Rounds: []string{"research", "refinement"},
		Location: claim.Location{State: claim.Unchecked, Reason: "not looked for yet"},
	}}, entries)
}

func TestASourceShowsWhatItIs(t *testing.T) {
	for _, c := range []struct {
		said   claim.SourceType
		source string
		want   claim.SourceType
	}{
		{claim.Official, "x.go:3", claim.Code},
		{"", "x.go:3", claim.Code},
		{claim.Community, "RFC 9110", claim.Standard},
		{claim.Community, "https://www.rfc-editor.org/rfc/rfc9110", claim.Standard},
		{"", "CWE-79", claim.Standard},
		{claim.Community, "https://github.com/golang/go/commit/0123456789abcdef0123456789abcdef01234567", claim.Community},
		{claim.Official, "https://a.test/", claim.Community},
		{"", "https://a.test/", claim.Community},
		{claim.Official, "10.1056/NEJMoa1511939", claim.Publication},
	} {
		e := claim.Register(nil, []claim.Draft{{Text: "t", Source: c.source, Type: c.said}})[0]
		require.Equal(t, c.want, e.Type, c)
		require.Equal(t, c.said, e.TypeSaid, "%v: the seat's word is kept beside it", c)
		require.NotEmpty(t, e.TypeWhy, c)
	}
}

func TestTheTopicSaysWhoseWordIsOfficial(t *testing.T) {
	entries := claim.Register(nil, []claim.Draft{{Text: "Maps are not safe.", Source: "https://go.dev/doc/faq", Type: claim.Community}, {Text: "t", Source: "https://github.com/golang/go/blob/master/a.go", Type: claim.Official}})
	require.Equal(t, claim.Community, entries[0].Type)
	attested := claim.ClassifySources(entries, "How do maps of Go behave?")
	require.Equal(t, claim.Official, attested[0].Type)
	require.Equal(t, claim.Code, attested[1].Type)
	require.Equal(t, claim.Community, claim.ClassifySources(entries, "How does Redis behave?")[0].Type)
	require.Equal(t, claim.Community, entries[0].Type, "what was given stays as it was")
}

func TestConfidenceIsGivenByTheEvidence(t *testing.T) {
	lib := library{"a.go": "The “words” here.", "https://a.test/": "The words here.", "https://go.dev/x": "The words here.", "RFC 1": "The words here."}
	for _, c := range []struct {
		name string
		claim.Draft
		vote string
		want claim.Confidence
	}{
		{"code", claim.Draft{Quote: "The “words” here.", Source: "a.go"}, claim.Supports, claim.High},
		{"code, other marks", claim.Draft{Quote: `The "words"`, Source: "a.go"}, claim.Supports, claim.High},
		{"an official page", claim.Draft{Quote: "The words", Source: "https://go.dev/x"}, claim.Supports, claim.High},
		{"a standard", claim.Draft{Quote: "The words", Source: "RFC 1"}, claim.Supports, claim.High},
		{"a standard that nobody has judged", claim.Draft{Quote: "The words", Source: "RFC 1"}, "", claim.Medium},
		{"a standard that qualifies it", claim.Draft{Quote: "The words", Source: "RFC 1"}, claim.Qualifies, claim.Medium},
		{"a standard that contradicts it", claim.Draft{Quote: "The words", Source: "RFC 1"}, claim.Contradicts, claim.Low},
		{"a page that its seat calls official", claim.Draft{Quote: "The words", Source: "https://a.test/", Type: claim.Official}, claim.Supports, claim.Medium},
		{"not there", claim.Draft{Quote: "other words", Source: "https://a.test/"}, claim.Supports, claim.Low},
		{"no quotation", claim.Draft{Source: "https://a.test/"}, claim.Supports, claim.Low},
		{"not to be had", claim.Draft{Quote: "q", Source: "https://b.test/"}, claim.Supports, claim.Low},
	} {
		c.Text, c.Confidence = "It is said of Go.", claim.High
		entries := claim.Register(nil, []claim.Draft{c.Draft})
		if c.vote != "" {
			entries[0].Support = &claim.Support{Verdict: c.vote, Votes: []claim.Vote{{Family: "rival", Answer: c.vote}}}
		}
		require.Equal(t, c.want, claim.Locate(entries, lib)[0].Confidence, c.name)
	}
}

func TestContext(t *testing.T) {
	long := strings.Repeat("é", 500)
	for _, c := range []struct{ name, body, quoted, want string }{
		{"a sentence on either side", "One. Two is 1.5 wide. Three words here. Four follows. Five.", "words", "Two is 1.5 wide. Three words here. Four follows."},
		{"a whole sentence", "One. Two. Three. Four. Five.", "Three.", "Two. Three. Four."},
		{"the beginning and the end", "One two.", "One two.", "One two."},
		{"not over a blank line", "Before.\n\nOne two three.\n\nAfter.", "two", "One two three."},
		{"nor over one of another kind", "Before.\r\n\r\nOne two three.\r\n\r\nAfter.", "two", "One two three."},
		{"bounded", long + " needle " + long, "needle", strings.Repeat("é", 199) + " needle " + strings.Repeat("é", 199)},
		{"without blanks", "一。二。三 词 三。四。五。", "词", "二。三 词 三。四。"},
	} {
		got := claim.Locate([]claim.Entry{{Quote: c.quoted, Source: "a.md"}}, library{"a.md": c.body})[0].Location
		require.Equal(t, claim.Located, got.State, c.name)
		require.Equal(t, c.want, got.Context, c.name)
	}
}
