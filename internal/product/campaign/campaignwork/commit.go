package campaignwork

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/research-council/research-council/internal/base/plain"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/product/campaign"
	"github.com/research-council/research-council/internal/product/campaign/feature"
)

// What was judged is carried out: a change that is accepted is committed, the
// rest set aside.

// applyVerdict carries out what was judged: what is accepted is committed, the rest set
// aside.
func (s *gate) applyVerdict(r flow.Run) (*flow.Assessment, error) {
	list, err := s.features()
	if err != nil {
		return nil, err
	}
	var p pendingChange
	data, err := s.Folder.Read(pendingFile)
	if err == nil {
		err = json.Unmarshal(data, &p)
	}
	if err != nil {
		return nil, fmt.Errorf("read the change that was judged: %w", err)
	}
	if f, judged := featureJudgedBy(list, p.Task); judged {
		if list, err = s.setAsideAttempt(list, f, nil); err != nil {
			return nil, err
		}
		f, _ = list.Find(f.ID)
		return s.judged(r, f, "")
	}
	f, ok := list.Find(p.Feature)
	if !ok {
		return nil, fmt.Errorf("the feature %s is not in the list any more", p.Feature)
	}
	j, err := s.judging(f, flow.Task{ID: p.Task})
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(s.Life, gitTime)
	defer cancel()
	defer j.project.KeepTrees()()
	will, err := j.project.Candidate(ctx, j.since)
	if err != nil {
		return nil, err
	}
	if will.Tree != p.Tree {
		return s.retestChanged(ctx, r, j, will.Tree, p)
	}
	v, by, why := s.changeVerdict(r, p)
	switch {
	case by == "":
		found, err := s.judged(r, f, "")
		if err == nil {
			slug := campaign.Of(s.Setup.Own).Slug
			campaign.TallyOf(found.Own).Problem = why
			campaign.TallyOf(found.Own).Ask = fmt.Sprintf("%s passes its tests, and nobody else could judge the change (%s). %s says what there is to judge. `council campaign accept %s %s --reason …` or `council campaign refuse %s %s --reason …` decides, `council campaign resume %s` asks again",
				f.ID, why, s.Folder.Join(campaign.ChangeText), slug, f.ID, slug, f.ID, slug)
		}
		return found, err
	case !v.Accept:
		list, err = s.fail(list, j, fmt.Sprintf("not accepted by %s: %s", by, v.Reason))
	default:
		list, err = s.commitAccepted(ctx, list, j, p, fmt.Sprintf("accepted by %s: %s; looked at: %s", by, v.Reason, v.Checked))
	}
	if err != nil {
		return nil, err
	}
	f, _ = list.Find(f.ID)
	return s.judged(r, f, "")
}

// maxRejudgements is how often a change that is judged may be another by then,
// before a person is asked.
const maxRejudgements = 3

// retestChanged has a change tested again that is not what was judged.
func (s *gate) retestChanged(ctx context.Context, r flow.Run, j judgement, now string, p pendingChange) (*flow.Assessment, error) {
	files, err := j.project.Between(ctx, p.Tree, now)
	if err != nil {
		return nil, err
	}
	found, err := s.judged(r, j.Feature, j.ID)
	if err != nil {
		return nil, err
	}
	if p.Again++; p.Again >= maxRejudgements {
		p.Again = 0
		campaign.TallyOf(found.Own).Problem = "the project does not come to rest"
		campaign.TallyOf(found.Own).Ask = fmt.Sprintf("%s: what is in the project was another each of %d times that the change was judged: %s. Let git ignore what changes, or end what changes it; then `council campaign resume %s`", j.ID, maxRejudgements, listNames(files), campaign.Of(s.Setup.Own).Slug)
	}
	return found, s.WriteJSON(map[string]any{pendingFile: p})
}

// commitAccepted commits a change that was accepted.
func (s *gate) commitAccepted(ctx context.Context, list feature.List, j judgement, p pendingChange, checked string) (feature.List, error) {
	done, refused, err := s.committed(j.project, j)
	switch {
	case err != nil:
		return list, err
	case refused != "":
		return s.fail(list, j, refused)
	}
	for _, name := range done.Kept {
		s.progress(fmt.Sprintf("%s: %s is not committed: it held changes of yours, and the two touch", j.ID, name))
	}
	if len(done.Files) > 0 {
		s.progress(fmt.Sprintf("%s: committed: %s", j.ID, listNames(done.Files)))
	}
	if done.ID == "" { // all of it was kept for the person to commit
		if done.ID, err = j.project.HeadCommit(ctx); err != nil {
			return list, err
		}
	}
	tree, err := j.project.Snapshot(ctx)
	if err != nil {
		return list, err
	}
	st, _ := s.lastBaseline()
	st.Tree, st.Tests = tree, p.Tests
	if err := s.WriteJSON(map[string]any{baselineFile: st}); err != nil {
		return list, err
	}
	s.progress(fmt.Sprintf("%s passes: %s; %s", j.ID, p.Shown, checked))
	list = list.Pass(j.ID, j.task.ID, done.ID).RecordCheck(j.ID, p.Shown, checked)
	return list, errors.Join(s.writeFeatures(list), s.Folder.Remove(attemptFile(j.Feature)))
}

func message(f feature.Feature) string {
	return plain.Line(f.ID+": "+f.Name, 100) + "\n\n" + plain.Line(f.Description, 2000) + "\n"
}
