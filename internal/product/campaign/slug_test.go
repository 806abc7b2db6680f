package campaign

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// hashed matches a slug in which ###### stands for a hash.
func hashed(slug string) string { return "^" + strings.ReplaceAll(slug, "######", "[0-9a-f]{6}") + "$" }

func TestTheHashOfANameStaysWhatItIs(t *testing.T) {
	got, err := Slug("исследование")
	require.NoError(t, err)
	require.Equal(t, "campaign-92d485", got, "folders of campaigns that exist bear it")
}

func TestSlugsOfNames(t *testing.T) {
	for name, want := range map[string]string{
		"solar-storage":             "solar-storage",
		"Solar Storage":             "solar-storage",
		"  solar   storage\n":       "solar-storage",
		"it's \"quoted\", isn't it": "it-s-quoted-isn-t-it",
		"../../etc/passwd":          "etc-passwd",
		`..\..\windows`:             "windows",
		"/":                         "",
		"a/b":                       "a-b",
		"$(rm -rf ~)":               "rm-rf",
		"-rf":                       "rf",
		".hidden":                   "hidden",
		"v1.2.3":                    "v1-2-3",
		"исследование":              "campaign-######",
		"Обзор LLM 2026":            "llm-2026-######",
		"储能":                        "campaign-######",
		"Café":                      "cafe-######",
		"ＡＢＣ":                       "abc-######",
		"R&D, 100 %":                "r-d-100",
		"c":                         "c",
		"c#":                        "c-######",
		"c++":                       "c-######",
		"x²":                        "x2-######",
		"٣":                         "campaign-######",
		"🎉 party":                   "party-######",
	} {
		got, err := Slug(name)
		if want == "" {
			require.ErrorContains(t, err, "needs a letter or a digit", name)
			continue
		}
		require.NoError(t, err, name)
		require.Regexp(t, hashed(want), got, name)
	}
	for _, name := range []string{"", " \t\n", "...", "??!", "—", "\x00\x1b", "🎉", "\xff\xfe"} {
		_, err := Slug(name)
		require.ErrorContains(t, err, "needs a letter or a digit", "%q", name)
	}
}

func TestNamesThatDifferDoNotBecomeOne(t *testing.T) {
	long := strings.Repeat("storage-", 20)
	seen := map[string]string{}
	for _, name := range []string{
		"cafe", "café", "c", "c#", "c++", "C--x", "исследование", "исследования", "研究", "研究 2", "x2", "x²", "schon", "schön",
		long + "a", long + "b", long + "é", "ﬁt", "fit", "ii", "Ⅱ",
	} {
		got, err := Slug(name)
		require.NoError(t, err)
		require.Empty(t, seen[got], "%q and %q are both %s", seen[got], name, got)
		seen[got] = name
	}
}

func TestOneNameInSeveralSpellingsIsOneSlug(t *testing.T) {
	for _, pair := range [][2]string{
		{"Solar Storage", "solar  storage"},
		{"Исследование", "ИССЛЕДОВАНИЕ"},
		{"caf\u00e9", "cafe\u0301"}, // composed or not, as file systems spell it
	} {
		a, err := Slug(pair[0])
		require.NoError(t, err)
		b, err := Slug(pair[1])
		require.NoError(t, err)
		require.Equal(t, a, b, pair)
	}
}

// slugForm is what a slug is made of.
const slugForm = `^[a-z0-9]+(-[a-z0-9]+)*$`

func TestEverySlugMayStandInAPath(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.String().Draw(t, "name")
		s, err := Slug(name)
		if err != nil {
			return
		}
		require.Regexp(t, slugForm, s)
		require.LessOrEqual(t, len(s), maxSlugBytes)
		again, err := Slug(s)
		require.NoError(t, err)
		require.Equal(t, s, again)
	})
}

func FuzzSlug(f *testing.F) {
	for _, name := range []string{"a", "../x", "\xff", "исследование", strings.Repeat("é", 100)} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		s, err := Slug(name)
		if err == nil {
			require.Regexp(t, slugForm, s)
			require.LessOrEqual(t, len(s), maxSlugBytes)
		}
		key, err := SectionKey(Plan, "component-"+name)
		if err == nil {
			require.Regexp(t, slugForm, key)
			again, err := SectionKey(Plan, key)
			require.NoError(t, err)
			require.Equal(t, key, again)
		}
	})
}

func TestKeysOfSections(t *testing.T) {
	for _, c := range []struct{ kind, name, want, says string }{
		{kind: Report, name: "background", want: "background"},
		{kind: Report, name: " Executive-Summary ", want: "executive-summary"},
		{kind: Plan, name: "risks", want: "risks"},
		{kind: Plan, name: "component-parser", want: "component-parser"},
		{kind: Plan, name: "component-Lexer & ../Parser", want: "component-lexer-parser"},
		{kind: Plan, name: "component-разбор", want: "component-part-######"},
		{kind: Plan, name: "component-", says: "needs a letter or a digit"},
		{kind: Plan, name: "components", says: "component-<name>"},
		{kind: Plan, name: "background", says: "the plan has no section"},
		{kind: Report, name: "component-parser", says: "the report has no section"},
		{kind: Report, name: "../../x", says: "there are executive-summary, background"},
		{kind: "thesis", name: "background", says: `no paper "thesis"`},
	} {
		got, err := SectionKey(c.kind, c.name)
		if c.says != "" {
			require.ErrorContains(t, err, c.says)
			continue
		}
		require.NoError(t, err)
		require.Regexp(t, hashed(c.want), got)
	}
}

func TestEverySectionHasAKey(t *testing.T) {
	for kind, keys := range map[string][]string{Report: ReportSections(), Plan: PlanSections()} {
		for _, key := range keys {
			if key == components {
				continue
			}
			got, err := SectionKey(kind, key)
			require.NoError(t, err)
			require.Equal(t, key, got)
		}
	}
}
