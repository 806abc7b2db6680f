package footprint

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"github.com/research-council/research-council/internal/agent/kinds"
	"github.com/research-council/research-council/internal/base/plain"
	"github.com/research-council/research-council/internal/host/program"
)

// The names by which hosts know the plugin and where it came from.
const (
	pluginName  = "research-council"
	marketplace = "research-council-market"
)

// hostTime is what a host's command may take.
const hostTime = 2 * time.Minute

// hosts are the plugin's entries in each, which the host's own command removes.
func (s survey) hosts(ctx context.Context) {
	s.claude(ctx)
	s.codex(ctx)
	if dir := filepath.Join(s.home, ".gemini", "extensions", pluginName); s.home != "" && exists(dir) {
		s.hostItem("gemini", dir, "extensions", "uninstall", pluginName)
	}
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

func (s survey) claude(ctx context.Context) {
	for _, dir := range s.claudes {
		data, err := os.ReadFile(filepath.Join(dir, "plugins", "installed_plugins.json"))
		if err != nil {
			continue
		}
		gjson.GetBytes(data, "plugins").ForEach(func(id, places gjson.Result) bool {
			if name, _, _ := strings.Cut(id.Str, "@"); name == pluginName {
				scope := places.Get("0.scope").Str
				if scope == "" {
					scope = "user"
				}
				s.claudeItem(dir, id.Str, "plugin", "uninstall", "--keep-data", "--scope", scope, id.Str)
			}
			return true
		})
		known, err := os.ReadFile(filepath.Join(dir, "plugins", "known_marketplaces.json"))
		if err != nil {
			continue
		}
		gjson.ParseBytes(known).ForEach(func(name, _ gjson.Result) bool {
			if name.Str == marketplace || name.Str == pluginName {
				s.claudeItem(dir, name.Str, "plugin", "marketplace", "remove", name.Str)
			}
			return true
		})
	}
	if s.home == "" {
		return
	}
	data, err := os.ReadFile(filepath.Join(s.home, ".claude.json"))
	if err != nil {
		return
	}
	gjson.GetBytes(data, "mcpServers").ForEach(func(name, server gjson.Result) bool {
		if path.Base(server.Get("command").Str) == "council" && server.Get("args.0").Str == "mcp" {
			s.hostItem("claude", "MCP server "+name.Str, "mcp", "remove", "--scope", "user", name.Str)
		}
		return true
	})
}

// claudeItem is done by Claude Code with the folder of its configuration in which the
// entry stands.
func (s survey) claudeItem(dir, what string, args ...string) {
	if dir != filepath.Join(s.home, ".claude") {
		s.Environ = append(s.Environ[:len(s.Environ):len(s.Environ)], "CLAUDE_CONFIG_DIR="+dir)
	}
	s.hostItem("claude", what, args...)
}

func (s survey) codex(ctx context.Context) {
	dir := s.Getenv("CODEX_HOME")
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(s.home, ".codex")
	}
	data, err := os.ReadFile(filepath.Join(dir, "config.toml"))
	if err != nil {
		return
	}
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSpace(line)
		if id, is := strings.CutPrefix(line, `[plugins."`+pluginName+`@`); is {
			id, _, _ = strings.Cut(id, `"`)
			s.hostItem("codex", pluginName+"@"+id, "plugin", "remove", pluginName+"@"+id)
		}
		if line == "[marketplaces."+marketplace+"]" || line == `[marketplaces."`+marketplace+`"]` {
			s.hostItem("codex", marketplace, "plugin", "marketplace", "remove", marketplace)
		}
	}
}

// hostItem is an entry that a host's command removes; without the host it is only said
// how.
func (s survey) hostItem(host, what string, args ...string) {
	item := Item{Kind: host, Path: what, What: "remove by: " + host + " " + strings.Join(args, " ")}
	found, err := program.Find(host)
	if err != nil {
		how := host + " " + strings.Join(args, " ")
		if host == "claude" {
			how += ", or /plugin uninstall in a session"
		}
		s.keep(host+": "+what, host+" is not in the PATH; where it is: "+how)
		return
	}
	environ := s.Environ
	item.remove = func(ctx context.Context) error {
		ctx, cancel := context.WithTimeout(ctx, hostTime)
		defer cancel()
		cmd := exec.CommandContext(ctx, found, args...)
		cmd.Env = quiet(host, environ)
		out, err := cmd.CombinedOutput()
		if err != nil {
			return fmt.Errorf("%s %s: %w: %s", host, strings.Join(args, " "), err, plain.Line(string(out), 300))
		}
		return nil
	}
	s.add(item)
}

// quiet is an environment in which a host does what it is told and nothing more: it does
// not take itself for a part of a session around it.
func quiet(host string, environ []string) []string {
	k := kinds.Of(host)
	var list []string
	for _, entry := range environ {
		if k.Marks == "" || !strings.HasPrefix(entry, k.Marks+"=") {
			list = append(list, entry)
		}
	}
	if k.Program != nil {
		list = append(list, k.Program.Quiet...)
	}
	return list
}
