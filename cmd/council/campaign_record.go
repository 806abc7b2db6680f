package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/research-council/research-council/internal/base/marker"
	"github.com/research-council/research-council/internal/base/usage"
	"github.com/research-council/research-council/internal/host/program"
	"github.com/research-council/research-council/internal/product/campaign/records"
	"github.com/research-council/research-council/internal/project/top"
)

// recordingCommands are the commands by which a worker leaves its records.
func recordingCommands(e program.Env) []*cobra.Command {
	verbs := []*cobra.Command{recordCommand(e), featureCommand(e), blockerCommand(e), endCommand(e)}
	for _, c := range verbs {
		c.PersistentFlags().String("campaign", "", "the campaign, by its name or run id (default: that of this seat or session, or the only one)")
	}
	return verbs
}

// withRecords opens the records of the worker that this command is called by, and does
// something there.
func withRecords(c *cobra.Command, e program.Env, do func(*records.Store) error) error {
	caller, err := recordsCaller(c, e)
	if err != nil {
		return err
	}
	s, err := records.Open(caller)
	if err != nil {
		return err
	}
	defer s.Close()
	return do(s)
}

// recordsCaller is who leaves records, by the environment and the flags.
func recordsCaller(c *cobra.Command, e program.Env) (records.Caller, error) {
	k := records.Caller{
		Record: e.Getenv("RESEARCH_REPORT_PATH"), Run: e.Getenv(marker.ChildVariable), Session: e.Getenv("CLAUDE_CODE_SESSION_ID"),
		Dir: e.Dir, Stdin: e.Stdin, Archive: e.ArchiveOptions,
	}
	var err error
	if k.Project, err = projectWithRuns(c, e); err != nil {
		return k, err
	}
	near, _ := top.Upwards(e.Dir, hasRuns)
	k.Home = cmp.Or(e.SessionProject(), near, k.Project)
	if !c.Flags().Changed("project") {
		k.Project = k.Home
	}
	k.Campaign, err = c.Flags().GetString("campaign")
	return k, err
}

// writeReply tells what a verb has done: a value for programs, lines for people.
func writeReply(c *cobra.Command, e program.Env, v any, lines ...string) error {
	if asJSON(c) {
		return encode(e.Stdout, v)
	}
	for _, l := range lines {
		if _, err := fmt.Fprintln(e.Stdout, l); err != nil {
			return err
		}
	}
	return nil
}

func recordCommand(e program.Env) *cobra.Command {
	var w records.Request
	c := &cobra.Command{
		Use:   "record",
		Short: "Record findings, questions, sections or the feature list",
		Long: `Record what an iteration has found. Claims are JSON lines {"text", "quote",
"source"}: each quotation is looked for at once where its source is a file of
the project or a page that is kept already, and a claim whose quotation is not
there is refused with the nearest passage. Other pages are fetched when the
iteration is measured. Sections are Markdown that cites claims as [C12]. Files
are read from the worker's folder and from docs/research-<name>/, no others.`,
		Example: `council campaign record --claims - <<'END'
{"text":"Retries stop after five attempts.","quote":"gives up after five attempts","source":"retry.go:12"}
END
council campaign record --question "What does recycling cost?"
council campaign record --answered "What does recycling cost?" --by C12,C13
council campaign record --section report/background --file docs/research-kettles/background.md
council campaign record --section plan/component-parser --file - <<'END'
The parser reads … [C12]
END
council campaign record --feature-list docs/research-kettles/features.json`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := checkRecordFlags(c, w); err != nil {
				return err
			}
			return withRecords(c, e, func(s *records.Store) error {
				out, err := s.Record(w)
				if err != nil {
					return err
				}
				return errors.Join(writeReply(c, e, out, out.Lines()...), out.Refused())
			})
		},
	}
	f := c.Flags()
	f.StringVar(&w.Claims, "claims", "", "a file of claims, JSON lines, in the campaign's folders; - is standard input")
	f.StringArrayVar(&w.Questions, "question", nil, "a question that is open (may be given again)")
	f.StringVar(&w.Answered, "answered", "", "a question that is answered, as it was asked")
	f.StringSliceVar(&w.By, "by", nil, "ids of the claims that answer it, separated by commas")
	f.StringVar(&w.Section, "section", "", "a section of the report or the plan, as report/background or plan/component-parser")
	f.StringVar(&w.File, "file", "", "the file that holds the section, in the campaign's folders; - is standard input")
	f.StringVar(&w.Features, "feature-list", "", "a file with the list of features, JSON, in the campaign's folders; - is standard input")
	return c
}

// checkRecordFlags refuses flags that make no sense together.
func checkRecordFlags(c *cobra.Command, w records.Request) error {
	stdin := 0
	for _, name := range []string{w.Claims, w.File, w.Features} {
		if name == "-" {
			stdin++
		}
	}
	given := c.Flags().Changed
	switch {
	case !slices.ContainsFunc([]string{"claims", "question", "answered", "section", "feature-list"}, given):
		return usage.Errorf("say what is to be recorded: --claims, --question, --answered, --section or --feature-list")
	case stdin > 1:
		return usage.Errorf("only one thing can be read from standard input")
	case given("section") != given("file"):
		return usage.Errorf("a section needs --section and --file")
	case given("answered") != given("by"):
		return usage.Errorf("an answered question needs --answered and --by, the ids of the claims that answer it")
	}
	return nil
}
