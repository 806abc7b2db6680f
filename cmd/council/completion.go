package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/research-council/research-council/internal/engine/config"
	"github.com/research-council/research-council/internal/evidence/audit"
	"github.com/research-council/research-council/internal/host/program"
	"github.com/research-council/research-council/internal/product/codereview"
	"github.com/research-council/research-council/internal/product/codereview/finding"
)

// complete lets a shell complete what flags of a command, and of those below
// it, can be given. A flag means the same wherever it has the same name, but
// for what an audit fails on.
func complete(c *cobra.Command, e program.Env) {
	values := map[string]func() []string{
		"seats":   func() []string { return seatNames(e) },
		"tier":    config.Tiers,
		"docs":    codereview.Docs,
		"fail-on": finding.Severities,
	}
	if c.Name() == "audit" {
		values["fail-on"] = auditKinds
	}
	for name, list := range values {
		if f := c.LocalFlags().Lookup(name); f != nil {
			_ = c.RegisterFlagCompletionFunc(name, completeFrom(list, takesList(f))) // fails only for a flag that is not there, or twice
		}
	}
	for _, sub := range c.Commands() {
		complete(sub, e)
	}
}

// takesList reports whether a flag takes a list.
func takesList(f *pflag.Flag) bool { return f.Name == "seats" || f.Value.Type() == "stringSlice" }

// completeFrom completes one of a list, or with several the last of those typed so
// far, none of which is offered again.
func completeFrom(list func() []string, several bool) cobra.CompletionFunc {
	return func(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
		if !several {
			return list(), cobra.ShellCompDirectiveNoFileComp
		}
		before := typed[:strings.LastIndexByte(typed, ',')+1]
		var offered []string
		for _, word := range list() {
			if !slices.Contains(strings.Split(before, ","), word) {
				offered = append(offered, before+word)
			}
		}
		return offered, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	}
}

// seatNames are the seats of the configuration; none while it cannot be read.
func seatNames(e program.Env) []string {
	c, err := e.Config()
	if err != nil {
		return nil
	}
	return c.Names()
}

func auditKinds() []string {
	names := []string{"none"}
	for _, k := range audit.Kinds() {
		names = append(names, k.Name)
	}
	return names
}
