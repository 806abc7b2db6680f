package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/research-council/research-council/internal/base/usage"
	"github.com/research-council/research-council/internal/host/program"
	"github.com/research-council/research-council/internal/host/session"
	"github.com/research-council/research-council/internal/product/campaign"
	"github.com/research-council/research-council/internal/product/campaign/records"
)

func featureCommand(e program.Env) *cobra.Command {
	c := &cobra.Command{
		Use:   "feature",
		Short: "Say how the feature of this iteration went",
		Long: `Say how the feature of this iteration went. This is what you think of it. The
program runs the project's tests itself and counts them: a feature passes when
none is lost or red, one fails on the code before and passes now, and somebody
who has not built it accepts the change.`,
		Example: `council campaign feature pass F003 --summary "reads nested arrays" --files parse.go,parse_test.go --tests parse_test.go
council campaign feature fail F003 --summary "the lexer cannot look ahead"`,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(featureOutcomeCommand(e, "pass", "Say that the feature is built"), featureOutcomeCommand(e, "fail", "Say that the feature could not be built"))
	return c
}

func featureOutcomeCommand(e program.Env, word, short string) *cobra.Command {
	said := campaign.CoderNote{Outcome: word}
	c := &cobra.Command{
		Use: word + " ID", Short: short, Args: cobra.ExactArgs(1),
		Example: "council campaign feature " + word + ` F003 --summary "what was done" --files parse.go --tests parse_test.go`,
		RunE: func(c *cobra.Command, args []string) error {
			said.ID = args[0]
			return withRecords(c, e, func(s *records.Store) error {
				said, err := s.Outcome(said)
				if err != nil {
					return err
				}
				return writeReply(c, e, said, fmt.Sprintf("Recorded: %s, %s. When the iteration has ended, the program runs the tests and decides.", said.ID, said.Outcome))
			})
		},
	}
	c.Flags().StringVar(&said.Summary, "summary", "", "what was done, a sentence or two")
	c.Flags().StringSliceVar(&said.Files, "files", nil, "files changed, separated by commas")
	c.Flags().StringSliceVar(&said.Tests, "tests", nil, "tests added, separated by commas")
	if word == "fail" {
		c.Flags().StringVar(&said.Cause, "cause", "", "environment, where what is around the project stands in the way: it is tried again once that is mended")
	}
	return c
}

func blockerCommand(e program.Env) *cobra.Command {
	c := &cobra.Command{
		Use:   "blocker",
		Short: "Raise an objection to the plan, or say that one is mended",
		Long: `Raise an objection to the plan, or say that one is mended. Nothing is built
while a blocker is open. Only critics raise and close objections, each in a turn
of its own.`,
		Example: `council campaign blocker add --aspect feasibility --text "Nothing reads the format"
council campaign blocker resolve B2 --how "Technology names a reader" --evidence C7`,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(raiseCommand(e), resolveCommand(e))
	return c
}

func raiseCommand(e program.Env) *cobra.Command {
	var o records.Objection
	c := &cobra.Command{
		Use: "add", Short: "Raise an objection to the plan", Args: cobra.NoArgs,
		Example: `council campaign blocker add --aspect security --text "Keys are kept in clear" --evidence C3
council campaign blocker add --severity concern --aspect cost --text "Prices are old" \
  --resolution "ask for this year's"`,
		RunE: func(c *cobra.Command, _ []string) error {
			return withRecords(c, e, func(s *records.Store) error {
				if err := s.Raise(o); err != nil {
					return err
				}
				return writeReply(c, e, o, fmt.Sprintf("Recorded as a %s; it has its number once the critics have been heard.", o.Severity))
			})
		},
	}
	f := c.Flags()
	f.StringVar(&o.Text, "text", "", "what is wrong")
	f.StringVar(&o.Aspect, "aspect", "", "what of the plan it is about, as feasibility")
	f.StringVar(&o.Severity, "severity", campaign.Blocker, strings.Join(campaign.Severities(), ", "))
	f.StringArrayVar(&o.Evidence, "evidence", nil, "the id of a claim, or words of the plan (may be given again)")
	f.StringVar(&o.Resolution, "resolution", "", "what would mend it")
	return c
}

func resolveCommand(e program.Env) *cobra.Command {
	var m records.Resolution
	c := &cobra.Command{
		Use: "resolve ID", Short: "Say that an objection is mended", Args: cobra.ExactArgs(1),
		Long: `Say that an objection is mended: that the plan says something else than when it
was raised, and that the evidence settles it.`,
		Example: `council campaign blocker resolve B2 --how "Technology names a reader" --evidence C7
council campaign blocker resolve B2 --how "NFS is ruled out" --evidence "NFS is refused at start"`,
		RunE: func(c *cobra.Command, args []string) error {
			m.Resolves = strings.ToUpper(strings.TrimSpace(args[0]))
			return withRecords(c, e, func(s *records.Store) error {
				already, err := s.Resolve(m)
				if err != nil {
					return err
				}
				if already {
					return writeReply(c, e, m, m.Resolves+" is closed already.")
				}
				return writeReply(c, e, m, fmt.Sprintf("Recorded: %s is closed.", m.Resolves))
			})
		},
	}
	c.Flags().StringVar(&m.How, "how", "", "how it was mended")
	c.Flags().StringArrayVar(&m.Evidence, "evidence", nil, "the id of a claim, or words of the plan (may be given again)")
	return c
}

func endCommand(e program.Env) *cobra.Command {
	var summary, file string
	c := &cobra.Command{
		Use:   "end",
		Short: "End the iteration with its record",
		Long: `End the iteration: its record is written, 200 to 500 words on what was found,
with sources and how far they are to be trusted, contradictions, and what to
ask next. The program then measures what there is. In a session this command
waits for that and says what came of it.`,
		Example: `council campaign end --file - <<'END'
Three cells were compared …
END
council campaign end --summary "F003 is built; F004 needs the same lexer."`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if summary != "" && file != "" {
				return usage.Errorf("give either --summary or --file")
			}
			return withRecords(c, e, func(s *records.Store) error { return endIteration(c, e, s, summary, file) })
		},
	}
	c.Flags().StringVar(&summary, "summary", "", "the record")
	c.Flags().StringVar(&file, "file", "", "the file that holds the record, in the campaign's folders; - is standard input")
	return c
}

func endIteration(c *cobra.Command, e program.Env, s *records.Store, summary, file string) error {
	project, id := s.Run()
	before := session.CampaignStatus(project, id)
	record, err := s.End(summary, file)
	if err != nil {
		return err
	}
	out := session.Verdict{Record: record}
	if s.OfSession() {
		out = session.AwaitVerdict(c.Context(), project, id, before, out)
	}
	return writeReply(c, e, out, out.Message(s.OfSession()))
}
