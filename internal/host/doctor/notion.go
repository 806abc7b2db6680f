package doctor

import (
	"context"
	"strings"

	"github.com/research-council/research-council/internal/output/notion"
)

// pages looks whether reports can be put into Notion. Without a parent they
// are not to be, and nobody is asked.
func (x exam) pages(ctx context.Context) []Check {
	const area = "notion"
	client, err := notion.New(notion.Config(x.Config.Notion), func(name string) string { return x.env[name] })
	switch {
	case err != nil:
		return []Check{newCheck(area, Warning, strings.TrimPrefix(err.Error(), "notion: "), "mend the section notion of the configuration, or leave its parent empty")}
	case client == nil:
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var checks []Check
	for _, c := range client.Access(ctx) {
		level := OK
		if !c.OK {
			level = Warning
		}
		checks = append(checks, newCheck(area, level, c.Finding, c.Remedy))
	}
	return checks
}
