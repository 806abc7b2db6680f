package prepare

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/research-council/research-council/internal/agent/kinds"
	"github.com/research-council/research-council/internal/base/usage"
	"github.com/research-council/research-council/internal/engine/budget"
	"github.com/research-council/research-council/internal/engine/config"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/supervisor"
	"github.com/research-council/research-council/internal/engine/workspace"
	"github.com/research-council/research-council/internal/evidence/scope"
	"github.com/research-council/research-council/internal/host/caller"
	"github.com/research-council/research-council/internal/host/program"
	"github.com/research-council/research-council/internal/host/request"
	"github.com/research-council/research-council/internal/product/campaign"
	"github.com/research-council/research-council/internal/product/campaign/steering"
	"github.com/research-council/research-council/internal/project/repo"
)

// Defaults of campaigns that no mode has of its own.
const (
	poorIterations   = 3  // in a row that end the research
	steadyIterations = 2  // in a row that leave the plan as it is
	campaignHours    = 96 // wall clock, unless said otherwise
	turnsEach        = 20 // processes an iteration may come to at most, retries and rivals included
)

// Campaign is the setup of a campaign. Where a session is to work on it, no seat is
// needed.
func Campaign(e program.Env, project, session string, mode campaign.Mode, req request.Request) (flow.Setup, error) {
	s := flow.Setup{Workflow: string(mode), Topic: req.Topic, Bypass: req.Bypass, Session: session}
	conf, err := e.Config()
	if err != nil {
		return s, err
	}
	if s.Root, err = filepath.Abs(project); err != nil {
		return s, fmt.Errorf("find the project: %w", err)
	}
	c := campaign.Setup{
		Name: req.Name, Mode: mode, Threshold: poorIterations, Stable: steadyIterations, Iterations: first(req.Iterations, mode.Iterations()),
		Research: req.Research, Planning: req.Planning, Loop: req.Loop, Allow: req.Allow, Test: req.Command, AcceptRed: req.AcceptRed,
		NoHooks: req.NoHooks, Paths: req.Paths, Hosts: req.Hosts, Variables: req.Variables,
	}
	if c.Slug, err = campaign.Slug(req.Name); err != nil {
		return s, usage.Of(err)
	}
	s.Own = campaign.Own(&c)
	s.Plan = scope.Plan{Mode: scope.Exploratory, Debate: scope.Off} // how its evidence is scored
	for _, step := range []func(program.Env, config.Config, request.Request, *flow.Setup) error{planned, refuseTakenName, checkProject, assignSeats, reviewPanel, setCampaignLimits} {
		if err := step(e, conf, req, &s); err != nil {
			return s, err
		}
	}
	s.Release = e.Release
	s.ID, err = workspace.NewID(time.Now(), rand.Reader)
	return s, err
}

// CheckNoHooks refuses an agent what only a person may say.
func CheckNoHooks(e program.Env, req request.Request) error {
	if who := caller.Agent(e.Getenv); req.NoHooks && who != "" {
		return usage.Errorf("--no-hooks is a person's to say, in a terminal of their own or behind the slash command: this was called by %s", who)
	}
	return nil
}

// checkProject looks at the project: whether there is anything to analyse, and for
// code whether it can be committed and tested.
func checkProject(_ program.Env, _ config.Config, req request.Request, s *flow.Setup) error {
	c := campaign.Of(s.Own)
	empty, err := repo.Empty(s.Root, []string{c.Folder()})
	if err != nil {
		return fmt.Errorf("look at the project: %w", err)
	}
	c.Empty = empty
	if req.Scope != "" {
		if s.Scope, err = Scope(s.Root, req); err != nil {
			return err
		}
	}
	if s.Scope == "" { // notes of the project's own may be cited, also where there is no code
		if s.Scope, err = filepath.EvalSymlinks(s.Root); err != nil {
			return fmt.Errorf("find the project: %w", err)
		}
	}
	if !slices.Contains(c.Mode.Phases(), campaign.PhaseC) {
		return nil
	}
	if err := refuseSecondBuilder(s); err != nil {
		return err
	}
	project, err := repo.Open(s.Root, "")
	if err != nil {
		return err
	}
	if err := project.Ready(context.Background()); err != nil {
		return fmt.Errorf("each feature becomes a commit, and none can be made now: %w", err)
	}
	if c.Test != "" {
		return nil
	}
	command, why := repo.TestCommand(s.Root)
	if chosen, listed := listedTestCommand(s); command == "" && listed && chosen == "" {
		return usage.Errorf("the project's tests decide whether a feature passes, and none are found (%s); say --test-command, as in: --test-command 'go test ./...'", why)
	}
	c.Test = command // "" has the breakdown choose, or has chosen already
	return nil
}

// listedTestCommand is the test command of a feature list that is there already, and
// whether one is: a breakdown has made it, or a person.
func listedTestCommand(s *flow.Setup) (command string, listed bool) {
	list, err := steering.Features(*s)
	return list.Test, err == nil && len(list.Features) > 0
}

// refuseSecondBuilder refuses to build where another campaign does: the changes of the one
// would be taken for the other's.
func refuseSecondBuilder(s *flow.Setup) error {
	others, err := steering.Find(s.Root, func(r flow.Run) bool {
		return r.Status == "" && slices.Contains(campaign.Of(r.Setup.Own).Mode.Phases(), campaign.PhaseC)
	})
	if err != nil || len(others) == 0 {
		return err
	}
	o := others[0].Setup
	return fmt.Errorf("the campaign %q builds in this project already (run %s); end it with `council cancel %s`, or work in another worktree (`git worktree add`)", campaign.Of(o.Own).Name, o.ID, campaign.Of(o.Own).Slug)
}

// refuseTakenName refuses a name that another campaign has.
func refuseTakenName(_ program.Env, _ config.Config, _ request.Request, s *flow.Setup) error {
	c := campaign.Of(s.Own)
	st, err := steering.ReadState(s.Root, c.Slug)
	if errors.Is(err, os.ErrNotExist) {
		open, err := steering.Find(s.Root, func(r flow.Run) bool { return r.Status == "" && campaign.Of(r.Setup.Own).Slug == c.Slug })
		if err == nil && len(open) > 0 {
			return fmt.Errorf("the campaign %q is under way (run %s), but its state file is gone: `council campaign resume %s` goes on and writes it anew, `council cancel %s` ends it", c.Name, open[0].Setup.ID, c.Slug, open[0].Setup.ID)
		}
		return nil
	}
	if err != nil {
		return fmt.Errorf("%s cannot be read: %w; mend it or move it away", filepath.Join(c.Folder(), c.StateFile()), err)
	}
	if _, err := supervisor.Read(s.Root, st.Run); err == nil && st.Status == "in_progress" {
		return fmt.Errorf("the campaign %q is under way (run %s): `council campaign resume %s` or /research-council:continue-auto goes on with it, `council cancel %s` ends it", st.Name, st.Run, c.Slug, st.Run)
	}
	if c.Mode == campaign.Implement {
		return nil // it builds what another has planned
	}
	if st.Status == string(flow.Cancelled) {
		return fmt.Errorf("%s holds the campaign %q, which was cancelled for good; take another name, or move that folder away and run this again", c.Folder(), st.Name)
	}
	return fmt.Errorf("%s holds the campaign %q, which is %s; take another name (`council campaign resume %s --max-iterations N` goes on with one that is not at its end)", c.Folder(), st.Name, st.Status, c.Slug)
}

// planned finds what there is to implement: a feature list goes before a plan.
func planned(_ program.Env, _ config.Config, req request.Request, s *flow.Setup) error {
	c := campaign.Of(s.Own)
	if c.Mode != campaign.Implement {
		if strings.TrimSpace(s.Topic) == "" {
			return usage.Errorf("there is no prompt; write behind the name what is to be found out, as in: %s 'How does … work?'", c.Slug)
		}
		if err := request.CheckTopic(s.Topic); err != nil {
			return usage.Errorf("the prompt: %w", err)
		}
		return nil
	}
	if s.Topic == "" {
		s.Topic = "Implement the plan of " + c.Name + "."
	}
	if req.Campaign.Plan != "" {
		if err := workspace.CheckInside(s.Root, req.Campaign.Plan); err != nil {
			return usage.Errorf("--plan %q: %w", req.Campaign.Plan, err)
		}
	}
	list := filepath.Join(c.Folder(), campaign.Features)
	switch features, err := steering.Features(*s); {
	case errors.Is(err, os.ErrNotExist): // then there has to be a plan
	case err != nil:
		return fmt.Errorf("%w; mend it or move it away", err)
	case len(features.Features) == 0:
		return fmt.Errorf("%s: it lists no feature; mend it or move it away", list)
	default:
		c.Plan = filepath.ToSlash(list)
	}
	for _, name := range planCandidates(c, req.Campaign.Plan) {
		if info, err := os.Stat(filepath.Join(s.Root, name)); err == nil && info.Mode().IsRegular() && info.Size() > 0 {
			c.Plan = filepath.ToSlash(name)
			return nil
		}
	}
	if c.Plan != "" {
		return nil
	}
	return fmt.Errorf("there is no plan to implement: none of %s is there; write one, name one with --plan, or make one with `council campaign run research-and-plan %s '…'`",
		strings.Join(planCandidates(c, req.Campaign.Plan), ", "), c.Slug)
}

func planCandidates(c *campaign.Setup, named string) []string {
	if named != "" {
		return []string{named}
	}
	beside := filepath.Join("docs", c.Slug+"-plan")
	within := filepath.Join(c.Folder(), c.Slug+"-plan")
	return []string{within + ".tex", within + ".md", beside + ".tex", beside + ".md"}
}

// assignSeats resolves who works: the session, else the host's own kind unless others are named,
// and where that is not there whoever is. Further seats are rivals.
func assignSeats(e program.Env, conf config.Config, req request.Request, s *flow.Setup) error {
	var err error
	if s.Tier, err = tierOf(conf, req); err != nil {
		return err
	}
	s.Parallel, s.PerBrand = conf.Parallel, conf.PerBrand
	if err := settleLibrary(e, conf, s, req); err != nil {
		return err
	}
	connect(e, conf, s, req.Web)
	if s.Session != "" && len(req.Seats) == 0 {
		critic(e, conf, s)
		return nil
	}
	asked := req.Seats
	if len(asked) == 0 {
		usual := []string{kinds.Host().Name}
		if _, missing := conf.Roster(usual, s.Tier, e.Resolver()); len(missing) == 0 {
			asked = usual
		}
	}
	if s.Seats, s.Missing, err = seatsOf(e, conf, asked, s.Tier, false); err != nil {
		return err
	}
	for i := range s.Missing {
		s.Missing[i].Named = len(req.Seats) > 0
	}
	if len(asked) == 0 {
		s.Seats = s.Seats[:1] // rivals only where they are asked for
	}
	if s.Session != "" {
		if !slices.ContainsFunc(s.Seats, func(x flow.Seat) bool { return x.Kind != flow.LibrarianSeat().Kind }) {
			critic(e, conf, s)
		}
		return nil
	}
	if req.Web && req.Scope == "" && isLibrarian(s.Seats[0]) {
		s.Scope = "" // it reads the web or files
	}
	switch worker := s.Seats[0]; {
	case kinds.Of(worker.Kind).NoCommands && slices.Contains(campaign.Of(s.Own).Mode.Phases(), campaign.PhaseC):
		return usage.Errorf("--seats: %s runs no commands, and a worker that builds needs them; name another seat first, or use research or research-and-plan", worker.Name)
	case worker.Kind == flow.LibrarianSeat().Kind && campaign.Of(s.Own).Mode != campaign.Research:
		return fmt.Errorf("%s needs a worker with a model, and only the librarian can take part%s; name another with --seats, `council doctor` tells which are here", campaign.Of(s.Own).Mode, inParentheses(missingReasons(s.Missing)))
	}
	return nil
}

// critic sets up who judges what a session has done that works alone: the
// session's own program in a process of its own, which has seen nothing of the
// work.
func critic(e program.Env, conf config.Config, s *flow.Setup) {
	seats, _ := conf.Roster([]string{kinds.Host().Name}, s.Tier, e.Resolver())
	if len(seats) == 1 {
		s.Critic = &seats[0]
	}
}

// setCampaignLimits sets the limits of a campaign.
func setCampaignLimits(_ program.Env, conf config.Config, req request.Request, s *flow.Setup) error {
	usd := conf.Limits.USD
	if req.USD > 0 {
		usd = req.USD
	}
	hours := float64(campaignHours)
	if req.Hours > 0 {
		hours = req.Hours
	}
	s.Turn = time.Duration(conf.Limits.TurnMinutes) * time.Minute
	s.Limits = budget.Limits{USD: usd, Tokens: conf.Limits.Tokens, Time: time.Duration(hours * float64(time.Hour)), Turns: maxCampaignTurns(s)}
	return price(s, conf)
}

// maxCampaignTurns bounds the processes of a campaign that goes wrong.
func maxCampaignTurns(s *flow.Setup) int {
	return min(campaign.Of(s.Own).Iterations, 1<<24)*turnsEach*max(1, len(s.Seats)) + 2*turnsEach*len(s.Panel)
}
