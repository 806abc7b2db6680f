package repo

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// branches are the branches of a repository, and the one that is checked out.
type branches struct {
	on  string            // refs/heads/NAME; "" where HEAD is on none
	tip map[string]string // by ref
}

// list writes branches as [branchesOf] reads them.
func (b branches) list() []string {
	if b.tip == nil {
		return nil
	}
	list := []string{b.on}
	for _, ref := range slices.Sorted(maps.Keys(b.tip)) {
		list = append(list, b.tip[ref]+" "+ref)
	}
	return list
}

func branchesOf(list []string) branches {
	if len(list) == 0 {
		return branches{}
	}
	b := branches{on: list[0], tip: map[string]string{}}
	for _, item := range list[1:] {
		id, ref, _ := strings.Cut(item, " ")
		b.tip[ref] = id
	}
	return b
}

// branchMove is a branch that is not where it was.
type branchMove struct{ ref, from, to string } // commits; "" for none

// standing is where a repository stands now.
type standing struct {
	branches
	head      string   // the commit HEAD is at, "" for none
	snapshots []string // refs of those that are kept
}

// standing looks where the repository stands.
func (h *history) standing(ctx context.Context) (standing, error) {
	now := standing{branches: branches{tip: map[string]string{}}}
	out, err := h.gitLine(ctx, gitCall{args: []string{"for-each-ref", "--format=%(HEAD)%(objectname) %(refname)", "refs/heads", snapshots}})
	if err != nil {
		return now, err
	}
	for item := range strings.SplitSeq(out, "\n") {
		id, ref, is := strings.Cut(strings.TrimLeft(item, "* "), " ")
		switch {
		case !is:
		case strings.HasPrefix(ref, snapshots):
			now.snapshots = append(now.snapshots, ref)
		default:
			now.tip[ref] = id
			if strings.HasPrefix(item, "*") { // it is checked out
				now.on, now.head = ref, id
			}
		}
	}
	if now.on != "" {
		return now, nil
	}
	now.on, err = h.gitLine(ctx, gitCall{args: []string{"symbolic-ref", "-q", "HEAD"}})
	var f *gitFailure
	if err != nil && (!errors.As(err, &f) || f.code != 1) {
		return now, err
	}
	now.head, err = h.resolve(ctx, "HEAD^{commit}")
	return now, err
}

// movedBranches lists the branches that are not where they were. One that another work
// tree has checked out is its own, and so is a new one without new commits.
func (h *history) movedBranches(ctx context.Context, m *snapshotState, now branches, done *Rewound) []branchMove {
	var list []branchMove
	if now.on == m.refs.on && maps.Equal(now.tip, m.refs.tip) {
		return nil
	}
	elsewhere := h.checkedOutElsewhere(ctx)
	if now.on != m.refs.on {
		done.Moved = append(done.Moved, fmt.Sprintf("HEAD from %s to %s", plainRef(m.refs.on), plainRef(now.on)))
	}
	for _, ref := range slices.Sorted(maps.Keys(m.refs.tip)) {
		if at := now.tip[ref]; at != m.refs.tip[ref] && !elsewhere[ref] {
			list = append(list, branchMove{ref, at, m.refs.tip[ref]})
			done.Moved = append(done.Moved, plainRef(ref))
		}
	}
	for _, ref := range slices.Sorted(maps.Keys(now.tip)) {
		if _, was := m.refs.tip[ref]; was || elsewhere[ref] {
			continue
		}
		if news, err := h.newCommits(ctx, m, now.tip[ref]); err == nil && len(news) > 0 {
			list = append(list, branchMove{ref, now.tip[ref], ""})
			done.Made = append(done.Made, plainRef(ref))
		}
	}
	return list
}

func plainRef(ref string) string {
	if ref == "" {
		return "no branch"
	}
	return strings.TrimPrefix(ref, "refs/heads/")
}

// keepTips puts the commits that will be on no branch on refs of their own.
func (h *history) keepTips(ctx context.Context, m *snapshotState, moves []branchMove, ref string) ([]string, error) {
	var kept []string
	seen := map[string]bool{}
	for _, mv := range moves {
		news, err := h.newCommits(ctx, m, mv.from)
		if err != nil {
			return kept, err
		}
		if len(news) == 0 || seen[mv.from] {
			continue
		}
		seen[mv.from] = true
		name, err := h.keepTip(ctx, ref, mv.from)
		if err != nil {
			return kept, err
		}
		kept = append(kept, name)
	}
	return kept, nil
}

// workBase is the commit that what was done since stands on: the newest of HEAD's
// that was there before, or came from another repository.
func (h *history) workBase(ctx context.Context, m *snapshotState, head string) (string, error) {
	if head == m.head {
		return head, nil
	}
	news, err := h.newCommits(ctx, m, head, "--remotes")
	if err != nil || len(news) == 0 {
		return head, err
	}
	known := map[string]bool{}
	for _, id := range news {
		known[id] = true
	}
	for at := head; ; {
		up, err := h.resolve(ctx, at+"^1^{commit}")
		if err != nil || !known[up] {
			return up, err
		}
		at = up
	}
}

// restoreBranches puts HEAD and the branches back, each only from where it was seen.
func (h *history) restoreBranches(ctx context.Context, m *snapshotState, now branches, moves []branchMove) error {
	var all strings.Builder
	for _, mv := range moves {
		switch {
		case mv.ref == "HEAD":
		case mv.to == "":
			fmt.Fprintf(&all, "delete %s\x00%s\x00", mv.ref, mv.from)
		case mv.from == "":
			fmt.Fprintf(&all, "create %s\x00%s\x00", mv.ref, mv.to)
		default:
			fmt.Fprintf(&all, "update %s\x00%s\x00%s\x00", mv.ref, mv.to, mv.from)
		}
	}
	if now.on != m.refs.on && m.refs.on != "" { // before a branch that HEAD is on goes
		if _, err := h.git(ctx, gitCall{args: []string{"symbolic-ref", "-m", "put back (research-council)", "HEAD", m.refs.on}}); err != nil {
			return err
		}
	}
	if m.refs.on == "" && m.head != "" {
		if _, err := h.git(ctx, gitCall{args: []string{"update-ref", "--no-deref", "-m", "put back (research-council)", "HEAD", m.head}}); err != nil {
			return err
		}
	}
	if all.Len() == 0 {
		return nil
	}
	if _, err := h.git(ctx, gitCall{args: []string{"update-ref", "-m", "put back (research-council)", "--stdin", "-z"}, stdin: []byte(all.String())}); err != nil {
		return fmt.Errorf("%w: %w", ErrMoved, err)
	}
	return nil
}
