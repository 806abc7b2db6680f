package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/research-council/research-council/internal/host/program"

	"github.com/spf13/cobra"
)

// release is raised with every release, together with the plugin's manifest.
const release = "0.5.0"

// version is the release and the commit it was built from.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return release
	}
	set := map[string]string{}
	for _, s := range info.Settings {
		set[s.Key] = s.Value
	}
	commit := set["vcs.revision"]
	if len(commit) < 7 {
		return release
	}
	text := release + " (" + commit[:7]
	if set["vcs.modified"] == "true" {
		text += ", changed"
	}
	return text + ")"
}

func versionCommand(e program.Env) *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Say which version this is", Example: "council version --json",
		RunE: func(c *cobra.Command, _ []string) error {
			if asJSON(c) {
				return encode(e.Stdout, map[string]string{"version": version(), "go": runtime.Version(), "os": runtime.GOOS, "arch": runtime.GOARCH})
			}
			_, err := fmt.Fprintln(e.Stdout, "council", version())
			return err
		},
	}
}
