package doctor

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/research-council/research-council/internal/base/userfile"
	"github.com/research-council/research-council/internal/host/settings"
)

// enabled looks whether Claude Code has the plugin turned on twice: then every hook
// answers twice, and every run is begun twice.
func (x exam) enabled(context.Context) []Check {
	user, err := settings.Path(x.env["CLAUDE_CONFIG_DIR"], x.Home)
	if err != nil {
		return nil // the seats say that there is no home
	}
	on := map[string][]string{} // names by file
	var all []string
	for _, file := range append(settings.OfProject(x.Project), user) {
		data, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		gjson.GetBytes(data, "enabledPlugins").ForEach(func(id, is gjson.Result) bool {
			if name, _, _ := strings.Cut(id.Str, "@"); name == pluginName && is.Bool() && !slices.Contains(all, id.Str) {
				on[file], all = append(on[file], id.Str), append(all, id.Str)
			}
			return true
		})
	}
	if len(all) < 2 {
		return nil
	}
	slices.Sort(all)
	where := make([]string, 0, len(on))
	for file := range on {
		where = append(where, file)
	}
	slices.Sort(where)
	c := broken("plugin.twice", user, fmt.Sprintf("the plugin is enabled twice in Claude Code: %s (%s); every hook answers twice, and every run costs twice", strings.Join(all, " and "), strings.Join(where, ", ")), "disable one: claude plugin disable "+all[len(all)-1])
	if len(on[user]) < 2 {
		return []Check{c} // the other stands in a file that the project shares
	}
	c.Fixable, c.Asks = true, true
	keep := x.ownPlugin(all)
	c.Remedy = "`council doctor --fix` keeps " + keep + " and disables the others, where you say yes"
	c.mend = func(context.Context) (string, error) { return disableOthers(user, on[user], keep) }
	return []Check{c}
}

// ownPlugin is the one of several that this program belongs to, else the first.
func (x exam) ownPlugin(ids []string) string {
	data, err := os.ReadFile(filepath.Join(x.claudeFolder(), "plugins", "installed_plugins.json"))
	if err != nil {
		return ids[0]
	}
	for _, id := range ids {
		for _, place := range gjson.GetBytes(data, "plugins."+gjson.Escape(id)+".#.installPath").Array() {
			if place.Str != "" && strings.HasPrefix(x.Self, filepath.Clean(place.Str)+"/") {
				return id
			}
		}
	}
	return ids[0]
}

// disableOthers turns the others off, word by word.
func disableOthers(file string, ids []string, keep string) (string, error) {
	var off []string
	_, err := userfile.Change(file, false, func(data []byte) ([]byte, error) {
		for _, id := range ids {
			if id == keep {
				continue
			}
			at := gjson.GetBytes(data, "enabledPlugins."+gjson.Escape(id))
			if at.Raw != "true" || at.Index == 0 {
				return nil, fmt.Errorf("%s is not turned on there any more", id)
			}
			data = slices.Concat(data[:at.Index], []byte("false"), data[at.Index+len(at.Raw):])
			off = append(off, id)
		}
		return data, nil
	})
	return fmt.Sprintf("%s: %s true -> false; %s stays", file, strings.Join(off, ", "), keep), err
}
