package doctor_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/host/doctor"
	notiontest "github.com/research-council/research-council/test/notion"
)

func TestNotionIsTriedWhereItIsSetUp(t *testing.T) {
	s := notiontest.Start(t)
	hidden := s.NewPage("Hidden")
	s.Unshare(hidden)
	for _, c := range []struct {
		what, parent, token string
		want                []doctor.Check
	}{
		{"not set up", "", "", []doctor.Check{}},
		{"all is well", s.Parent, s.Token, []doctor.Check{
			{Area: "notion", Level: doctor.OK, Finding: `the token is that of "Council"`},
			{Area: "notion", Level: doctor.OK, Finding: "the parent can be reached"},
		}},
		{"no token", s.Parent, "", []doctor.Check{{
			Area: "notion", Level: doctor.Warning,
			Finding: "NOTION_TOKEN is not set: put the integration's token there, or name a file that holds it as token_file",
			Remedy:  "mend the section notion of the configuration, or leave its parent empty",
		}}},
		{"a wrong token", s.Parent, secret, []doctor.Check{{
			Area: "notion", Level: doctor.Warning, Finding: "the token cannot be used: Notion answered 401 unauthorized: API token is invalid",
			Remedy: "put the token of an integration of this workspace into the variable or file the configuration names",
		}}},
		{"a page not shared", hidden, s.Token, []doctor.Check{
			{Area: "notion", Level: doctor.OK, Finding: `the token is that of "Council"`},
			{
				Area: "notion", Level: doctor.Warning,
				Finding: "the parent cannot be reached: Notion answered 404 object_not_found: Could not find page with ID: " + hidden + ". Make sure the relevant pages and databases are shared with your integration",
				Remedy:  "share the page or database with the integration (its menu, Connections)",
			},
		}},
	} {
		m := healthy(t)
		m.Config.Notion.Server, m.Config.Notion.Parent, m.Config.Notion.Pace = s.URL, c.parent, 0
		m.Environ = append(m.Environ, "NOTION_TOKEN="+c.token)
		r := m.examine()
		require.True(t, r.Fit, "%s: a report is delivered without Notion, too", c.what)
		require.Equal(t, c.want, slices.DeleteFunc(r.Checks, func(c doctor.Check) bool { return c.Area != "notion" }), c.what)
		require.NotContains(t, r.Text(), secret)
	}
}
