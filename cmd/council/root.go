package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/research-council/research-council/internal/base/usage"
	"github.com/research-council/research-council/internal/host/program"

	"github.com/spf13/cobra"

	"github.com/research-council/research-council/internal/host/session"
	"github.com/research-council/research-council/internal/host/view"
)

const about = `Several agents research one question, each alone; then each reads what the
others found and goes deeper; then one report is written, and every quotation
in it is looked up in its source.

Exit codes: 0 done, 1 failed, 2 a mistake in what was typed, 3 a limit ended
the run (the report is there), 4 cancelled, 5 the run waits for you, 6 a review
found what --fail-on names, 7 parts of the code were not read by every reviewer,
8 no evidence: no quotation was located (the report is there and says why), 130
interrupted (` + "`council resume`" + `).`

// run is the program: it does what args say and returns the exit code.
func run(ctx context.Context, args []string, e program.Env) int {
	root := rootCommand(e)
	root.SetArgs(args)
	if len(args) > 0 && (args[0] == cobra.ShellCompRequestCmd || args[0] == cobra.ShellCompNoDescRequestCmd) {
		complete(root, e)
	}
	err := root.ExecuteContext(ctx)
	var code exitCode
	if err != nil && !errors.As(err, &code) && !errors.Is(err, session.ErrWake) {
		fmt.Fprintln(e.Stderr, "council: "+view.ErrorLine(err))
	}
	if len(args) > 0 && args[0] == "hook" {
		return hookExitCode(err)
	}
	return exitCodeOf(err)
}

func rootCommand(e program.Env) *cobra.Command {
	root := &cobra.Command{
		Use:   "council",
		Short: "Research a question with several agents",
		Long:  about,
		Example: `council run "How does the Go scheduler steal work?"
council run --seats librarian --scope . "Where is the retry policy set?"
council status
council doctor`,
		Args: known,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	root.SilenceErrors, root.SilenceUsage = true, true
	root.Version, root.SuggestionsMinimumDistance = version(), 2
	root.SetIn(e.Stdin)
	root.SetOut(e.Stdout)
	root.SetErr(e.Stderr)
	root.SetFlagErrorFunc(flagError)
	root.SetHelpFunc(func(c *cobra.Command, _ []string) {
		_ = help(e.Stdout, c, view.IsTerminal(e.Stdout) && e.Getenv("NO_COLOR") == "" && e.Getenv("TERM") != "dumb") // nobody is left to tell
	})
	root.PersistentFlags().Bool("json", false, "answer in JSON")
	root.PersistentFlags().String("project", "", "the folder whose research/ holds the runs (default: the top of the repository, or this folder)")
	root.AddCommand(
		runCommand(e), stagedCommand(e), reviewCommand(e), campaignCommand(e), statusCommand(e), statusLineCommand(e), listCommand(e), logsCommand(e), reportLogCommand(e), traceCommand(e), watchCommand(e), resumeCommand(e), finishCommand(e), noteCommand(e), cancelCommand(e), loopCommand(e), scheduleCommand(e),
		doctorCommand(e), setupCommand(e), uninstallCommand(e), configCommand(e), verifyCommand(e), verifyJournalCommand(e), diffCommand(e), exportCommand(e), openCommand(e), pdfCommand(e), claimsCommand(e), sourcesCommand(e), seatCommand(e), versionCommand(e), serveCommand(e), mcpCommand(e),
		hookCommand(e), superviseCommand(e), librarianCommand(e), readSourceCommand(e), chatCommand(e), deskCommand(e), mergeCommand(e), libraryCommand(e), identifyCommand(e), quoteCommand(e), scoreCommand(e), auditCommand(e), notifyCommand(e),
	)
	for _, c := range root.Commands() {
		markUsageErrors(c)
	}
	return root
}

// markUsageErrors makes every mistake in a command's arguments one of usage.
func markUsageErrors(c *cobra.Command) {
	check := c.Args
	if check == nil {
		check = cobra.NoArgs
	}
	c.Args = func(c *cobra.Command, args []string) error {
		if err := check(c, args); err != nil {
			return usage.Errorf("%w; `%s --help` shows examples", err, c.CommandPath())
		}
		return nil
	}
	for _, sub := range c.Commands() {
		markUsageErrors(sub)
	}
}

// known refuses what is no command.
func known(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	hint := "`council --help` lists them"
	if near := c.SuggestionsFor(args[0]); len(near) > 0 {
		hint = "did you mean " + strings.Join(near, " or ") + "?"
	}
	return usage.Errorf("there is no command %q; %s", args[0], hint)
}

// asJSON reports whether the answer is to be JSON.
func asJSON(c *cobra.Command) bool {
	yes, err := c.Flags().GetBool("json")
	return err == nil && yes
}

// encode writes a value as JSON.
func encode(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

// encodeLine writes a value as one line of JSON.
func encodeLine(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}
