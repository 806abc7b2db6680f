package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"research-council/internal/agent"
	"research-council/internal/base/marker"
	"research-council/internal/base/usage"
	"research-council/internal/engine/supervisor"
	"research-council/internal/product/campaign"
	"research-council/internal/product/campaign/feature"
	"research-council/internal/product/recipe"
)

// recordingCommands are the commands by which a worker leaves its records.
func recordingCommands(e env) []*cobra.Command {
	verbs := []*cobra.Command{recordCommand(e), featureCommand(e), blockerCommand(e), endCommand(e)}
	for _, c := range verbs {
		c.PersistentFlags().String("campaign", "", "the campaign, by its name or run id (default: that of this seat or session, or the only one)")
	}
	return verbs
}

// maxTextBytes bounds a text that is handed over, in bytes.
const maxTextBytes = 256 << 10

// readFlagInput reads what a flag names: a file of the campaign's own, or standard
// input for "-".
func (p recordStore) readFlagInput(e env, flag, name string, most int64) ([]byte, error) {
	in := e.stdin
	if name != "-" {
		f, err := p.openOwnFile(e, name)
		if err != nil {
			return nil, usage.Errorf("--%s %q: %w", flag, name, usage.Cause(err))
		}
		defer f.Close()
		in = f
	}
	data, err := io.ReadAll(io.LimitReader(in, most+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("read --%s: %w", flag, err)
	case int64(len(data)) > most:
		return nil, usage.Errorf("--%s: the text is longer than %d KiB", flag, most>>10)
	case !utf8.Valid(data):
		return nil, usage.Errorf("--%s: the text is not UTF-8", flag)
	case len(bytes.TrimSpace(data)) == 0:
		return nil, usage.Errorf("--%s: there is nothing in it", flag)
	}
	return data, nil
}

// openOwnFile opens a file that is named from the working directory and lies in the
// worker's folder or among the campaign's papers: what is recorded is shown to
// others, and no other file is the worker's to show. A pipe would be waited for.
func (p recordStore) openOwnFile(e env, name string) (*os.File, error) {
	if !filepath.IsAbs(name) {
		name = filepath.Join(e.Dir, name)
	}
	real, err := filepath.EvalSymlinks(name)
	if err != nil {
		return nil, err
	}
	info, err := os.Stat(real)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("no plain file")
	}
	own := p.folder.Join(filepath.FromSlash(p.dir()))
	for _, folder := range []string{own, p.papersFolder()} {
		if folder, err = filepath.EvalSymlinks(folder); err != nil {
			continue // it is not there
		}
		if within, err := filepath.Rel(folder, real); err == nil && filepath.IsLocal(within) {
			return openInFolder(folder, within)
		}
	}
	return nil, fmt.Errorf("it lies outside of the campaign's folders; write it into %s, or hand it in on standard input with -", own)
}

// openInFolder opens a file of a folder; no link leads out of it.
func openInFolder(folder, name string) (*os.File, error) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	return root.Open(name)
}

// papersFolder is the folder of what people read of the campaign.
func (p recordStore) papersFolder() string {
	_, r, err := supervisor.Load(p.project, p.folder.ID)
	if err != nil || r.Setup.Campaign == nil {
		return ""
	}
	return filepath.Join(r.Setup.Root, filepath.FromSlash(r.Setup.Campaign.Folder()))
}

// writeReply tells what a verb has done: a value for programs, lines for people.
func writeReply(c *cobra.Command, e env, v any, lines ...string) error {
	if asJSON(c) {
		return encode(e.stdout, v)
	}
	for _, l := range lines {
		if _, err := fmt.Fprintln(e.stdout, l); err != nil {
			return err
		}
	}
	return nil
}

func featureCommand(e env) *cobra.Command {
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

func featureOutcomeCommand(e env, word, short string) *cobra.Command {
	said := campaign.CoderNote{Outcome: word}
	c := &cobra.Command{
		Use: word + " ID", Short: short, Args: cobra.ExactArgs(1),
		Example: "council campaign feature " + word + ` F003 --summary "what was done" --files parse.go --tests parse_test.go`,
		RunE: func(c *cobra.Command, args []string) error {
			said.ID = args[0]
			return withRecordStore(c, e, func(p recordStore) error { return p.recordOutcome(c, e, said) })
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

// recordOutcome records what a coder says of its feature.
func (p recordStore) recordOutcome(c *cobra.Command, e env, said campaign.CoderNote) error {
	if err := p.requireOpenIteration(); err != nil {
		return err
	}
	if p.turn.Role != agent.Code {
		return usage.Errorf("no feature is being built: this is no iteration of code")
	}
	list, id, err := p.features()
	if err != nil {
		return err
	}
	if err := checkFeature(list, id, said.ID); err != nil {
		return err
	}
	for _, names := range []*[]string{&said.Files, &said.Tests} {
		if *names, err = p.projectPaths(e, *names); err != nil {
			return err
		}
	}
	if said.Cause != "" && said.Cause != campaign.Environment {
		return usage.Errorf("--cause %.40q: there is %s alone", said.Cause, campaign.Environment)
	}
	data := jsonLine(said)
	if _, err := campaign.DecodeCoderNote(data); err != nil {
		return usage.Of(err)
	}
	if err := p.write(campaign.CoderNoteFile, data); err != nil {
		return err
	}
	return writeReply(c, e, said, fmt.Sprintf("Recorded: %s, %s. When the iteration has ended, the program runs the tests and decides.", said.ID, said.Outcome))
}

// checkFeature refuses a feature that is not the one being built.
func checkFeature(list feature.List, id, named string) error {
	_, known := list.Find(named)
	switch {
	case !known:
		return usage.Errorf("there is no feature %.40q; this iteration builds %s", named, id)
	case id == "":
		return usage.Errorf("no feature is left to build")
	case named != id:
		return usage.Errorf("%s is not the feature of this iteration, which is %s", named, id)
	}
	return nil
}

// projectPaths gives names of files from the project's top.
func (p recordStore) projectPaths(e env, names []string) ([]string, error) {
	var list []string
	for _, name := range names {
		full := name
		if !filepath.IsAbs(full) {
			full = filepath.Join(e.Dir, full)
		}
		rel, err := filepath.Rel(p.project, full)
		if err != nil || !filepath.IsLocal(rel) || rel == "." {
			if !filepath.IsLocal(name) {
				return nil, usage.Errorf("%.200q lies outside the project", name)
			}
			rel = name // from the project's top, called elsewhere
		}
		list = append(list, filepath.ToSlash(rel))
	}
	return list, nil
}

func blockerCommand(e env) *cobra.Command {
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

// requireCriticTurn refuses who is no critic in a turn of its own.
func (p recordStore) requireCriticTurn() error {
	if err := p.requireOpenIteration(); err != nil {
		return err
	}
	if p.turn.Role != agent.Critique {
		return usage.Errorf("this is no critic's turn: what stands against the plan is raised and closed by critics, before the next iteration of planning")
	}
	return nil
}

// objection is a line of the file of issues that raises one.
type objection struct {
	Severity   string   `json:"severity"`
	Aspect     string   `json:"aspect"`
	Text       string   `json:"text"`
	Evidence   []string `json:"evidence,omitempty"`
	Resolution string   `json:"resolution,omitempty"`
}

func raiseCommand(e env) *cobra.Command {
	var o objection
	c := &cobra.Command{
		Use: "add", Short: "Raise an objection to the plan", Args: cobra.NoArgs,
		Example: `council campaign blocker add --aspect security --text "Keys are kept in clear" --evidence C3
council campaign blocker add --severity concern --aspect cost --text "Prices are old" \
  --resolution "ask for this year's"`,
		RunE: func(c *cobra.Command, _ []string) error {
			return withRecordStore(c, e, func(p recordStore) error { return p.raise(c, e, o) })
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

func (p recordStore) raise(c *cobra.Command, e env, o objection) error {
	if err := p.requireCriticTurn(); err != nil {
		return err
	}
	for _, f := range [][2]string{{"text", o.Text}, {"aspect", o.Aspect}} {
		if strings.TrimSpace(f[1]) == "" {
			return usage.Errorf("an objection needs --text and --aspect; --%s is missing", f[0])
		}
	}
	if err := p.recordIssue(o); err != nil {
		return err
	}
	return writeReply(c, e, o, fmt.Sprintf("Recorded as a %s; it has its number once the critics have been heard.", o.Severity))
}

// issueResolution is a line of the file of issues that resolves one.
type issueResolution struct {
	Resolves string   `json:"resolves"`
	How      string   `json:"how"`
	Evidence []string `json:"evidence"`
}

func resolveCommand(e env) *cobra.Command {
	var m issueResolution
	c := &cobra.Command{
		Use: "resolve ID", Short: "Say that an objection is mended", Args: cobra.ExactArgs(1),
		Long: `Say that an objection is mended: that the plan says something else than when it
was raised, and that the evidence settles it.`,
		Example: `council campaign blocker resolve B2 --how "Technology names a reader" --evidence C7
council campaign blocker resolve B2 --how "NFS is ruled out" --evidence "NFS is refused at start"`,
		RunE: func(c *cobra.Command, args []string) error {
			m.Resolves = strings.ToUpper(strings.TrimSpace(args[0]))
			return withRecordStore(c, e, func(p recordStore) error { return p.resolve(c, e, m) })
		},
	}
	c.Flags().StringVar(&m.How, "how", "", "how it was mended")
	c.Flags().StringArrayVar(&m.Evidence, "evidence", nil, "the id of a claim, or words of the plan (may be given again)")
	return c
}

func (p recordStore) resolve(c *cobra.Command, e env, m issueResolution) error {
	if err := p.requireCriticTurn(); err != nil {
		return err
	}
	if strings.TrimSpace(m.How) == "" || len(m.Evidence) == 0 {
		return usage.Errorf("say how it was mended and by what that can be seen: --how and --evidence")
	}
	all, _, err := p.criticism()
	if err != nil {
		return err
	}
	at := slices.IndexFunc(all.Issues, func(i campaign.Issue) bool { return i.ID == m.Resolves })
	if at < 0 {
		return usage.Errorf("there is no issue %.20q; open blockers: %s", m.Resolves, openBlockers(all.Issues))
	}
	if all.Issues[at].Closed != nil {
		return writeReply(c, e, m, m.Resolves+" is closed already.")
	}
	if err := p.recordIssue(m); err != nil {
		return err
	}
	return writeReply(c, e, m, fmt.Sprintf("Recorded: %s is closed.", m.Resolves))
}

// recordIssue adds a critic's line, unless the program will refuse it.
func (p recordStore) recordIssue(line any) error {
	data := jsonLine(line)
	all, reading, err := p.criticism()
	if err != nil {
		return err
	}
	if refused := campaign.ReadIssues(all.Issues, data, reading).Refused; len(refused) > 0 {
		return usage.Errorf("%s", refused[0].Reason)
	}
	return p.append(campaign.IssuesFile, data, maxRecordBytes)
}

// criticism is what critics have said before this turn, and what this one reads.
func (p recordStore) criticism() (campaign.Criticism, campaign.Reading, error) {
	var all campaign.Criticism
	if data, err := p.folder.Read(recipe.IssuesFile); err == nil {
		if err := json.Unmarshal(data, &all); err != nil {
			return all, campaign.Reading{}, fmt.Errorf("read %s: %w", recipe.IssuesFile, err)
		}
	}
	plan, _ := p.folder.Read(recipe.PlanText) // none is empty
	known := p.registeredIDs()
	return all, supervisor.NewReading(plan, func(id string) bool { return known[id] }), nil
}

func openBlockers(list []campaign.Issue) string {
	var ids []string
	for _, i := range campaign.Open(list) {
		ids = append(ids, i.ID)
	}
	if len(ids) == 0 {
		return "none"
	}
	return strings.Join(ids, ", ")
}

func endCommand(e env) *cobra.Command {
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
			return withRecordStore(c, e, func(p recordStore) error { return p.end(c, e, summary, file) })
		},
	}
	c.Flags().StringVar(&summary, "summary", "", "the record")
	c.Flags().StringVar(&file, "file", "", "the file that holds the record, in the campaign's folders; - is standard input")
	return c
}

// requireOpenIteration refuses to speak of an iteration that is not open, or that the session
// has not been told of: the next one may be there as soon as one has ended.
func (p recordStore) requireOpenIteration() error {
	if p.turn.Record == "" || p.host && !p.folder.Has(supervisor.BegunFile(p.turn.Task)) {
		return usage.Errorf("no iteration is open here; in a session `council campaign begin` hands over the next one")
	}
	return nil
}

// record is the name of the iteration's record, in the worker's folder.
func (p recordStore) record() (string, error) {
	if err := p.requireOpenIteration(); err != nil {
		return "", err
	}
	if filepath.Dir(p.turn.Record) != p.folder.Join(filepath.FromSlash(p.dir())) {
		return "", fmt.Errorf("the record %s does not lie in the worker's folder", p.turn.Record)
	}
	return filepath.Base(p.turn.Record), nil
}

func (p recordStore) end(c *cobra.Command, e env, summary, file string) error {
	name, err := p.record()
	if err != nil {
		return err
	}
	text, err := p.recordText(e, name, summary, file)
	if err != nil {
		return err
	}
	if err := errors.Join(p.checkComplete(), p.checkLength(name, text)); err != nil {
		return err
	}
	before := p.campaignStatus()
	if err := p.write(name, text); err != nil {
		return err
	}
	out := endResult{Record: p.turn.Record}
	if p.host {
		out = p.awaitVerdict(c, before, out)
	}
	return writeReply(c, e, out, out.message(p.host))
}

// recordText is the record with its mark: what is handed in, or what the worker
// has written already.
func (p recordStore) recordText(e env, name, summary, file string) ([]byte, error) {
	text := []byte(summary)
	var err error
	switch {
	case file != "":
		text, err = p.readFlagInput(e, "file", file, maxTextBytes)
	case summary == "":
		text, err = p.folder.Read(p.name(name))
	}
	if err != nil && file != "" {
		return nil, err
	}
	text = bytes.TrimSpace(bytes.TrimSuffix(bytes.TrimSpace(text), []byte(marker.CompleteMarker)))
	switch {
	case len(text) == 0:
		return nil, usage.Errorf("an iteration ends with its record: --summary TEXT, or --file FILE")
	case len(text) > maxTextBytes:
		return nil, usage.Errorf("the record is longer than %d KiB", maxTextBytes>>10)
	case !utf8.Valid(text):
		return nil, usage.Errorf("the record is not UTF-8")
	}
	text = append(append([]byte{}, text...), "\n\n"+marker.CompleteMarker+"\n"...)
	if !marker.IsComplete(text) {
		return nil, usage.Errorf("a code fence in the record is not closed")
	}
	return text, nil
}

// maxRecordWords is how long a record may be, with a little over what is asked
// for.
const maxRecordWords = 600

// checkLength sends a record back that is too long to be read by anybody, once.
func (p recordStore) checkLength(name string, text []byte) error {
	n := len(bytes.Fields(bytes.ReplaceAll(text, []byte(marker.CompleteMarker), nil)))
	if n <= maxRecordWords {
		return nil
	}
	first, err := p.folder.CreateOnce(p.name("long-"+name), nil)
	if err != nil || !first {
		return err
	}
	return fmt.Errorf("the record has %d words; 200 to 500 are asked for: cut it to what was found, or end once more as it is", n)
}

// checkComplete refuses to end an iteration that has not left what it is for.
func (p recordStore) checkComplete() error {
	switch p.turn.Role {
	case agent.Code:
		_, id, err := p.features()
		if err != nil {
			return err
		}
		data, err := p.folder.Read(p.name(campaign.CoderNoteFile))
		if said, bad := campaign.DecodeCoderNote(data); err != nil || bad != nil || said.ID != id {
			return usage.Errorf("say first how the feature went: `council campaign feature pass %s` or `feature fail %s`", id, id)
		}
	case agent.Breakdown:
		if !p.folder.Filled(p.name(campaign.Features)) {
			return usage.Errorf("record the feature list first: `council campaign record --feature-list FILE`")
		}
	}
	return nil
}
