package restore_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/project/restore"
)

// project is one whose later sessions obey something already.
type project struct {
	t *testing.T
	restore.Custody
}

func open(t *testing.T) project {
	p := project{t, restore.Custody{Project: t.TempDir(), Store: filepath.Join(t.TempDir(), "store"), Apart: []string{"research", ".claude/deep-research*.local.md"}}}
	p.sh("git init -q . && mkdir -p .claude pkg/.github docs && echo kind > CLAUDE.md && echo '{}' > .claude/settings.json && echo state > .claude/deep-research.local.md" +
		" && echo ci > pkg/.github/ci.yml && echo agents > docs/agents.md && ln -s docs/agents.md AGENTS.md && echo code > main.go && chmod 600 CLAUDE.md")
	require.False(t, p.HasCopies())
	require.NoError(t, p.CopyProtected())
	require.True(t, p.HasCopies())
	return p
}

func (p project) sh(line string) string {
	p.t.Helper()
	cmd := exec.Command("sh", "-ec", line)
	cmd.Dir = p.Project
	out, err := cmd.CombinedOutput()
	require.NoError(p.t, err, "%s: %s", line, out)
	return string(out)
}

// whole is everything that is protected, as it is.
func (p project) whole() string {
	return p.sh("find . -path ./.git/objects -prune -o -path ./research -prune -o -name 'deep-research*' -prune -o \\( -type f -o -type l \\) -print0 | sort -z | xargs -0 -I{} sh -c 'stat -c \"%n %a %N\" \"{}\"; cat \"{}\"'")
}

func TestWhateverWayItWasChangedItIsPutBackAndTold(t *testing.T) {
	for line, want := range map[string][]string{
		"true":                   nil,
		"echo evil >> CLAUDE.md": {"CLAUDE.md"},
		"chmod 777 CLAUDE.md":    {"CLAUDE.md"},
		"rm CLAUDE.md":           {"CLAUDE.md"},
		"rm CLAUDE.md && mkdir CLAUDE.md && echo x > CLAUDE.md/x":                                  {"CLAUDE.md", "CLAUDE.md/x"},
		"rm CLAUDE.md && ln -s /etc/passwd CLAUDE.md":                                              {"CLAUDE.md"},
		"echo evil > sub.md && mv sub.md CLAUDE.md":                                                {"CLAUDE.md"},
		"mkdir -p a/b && echo evil > a/b/claude.MD && rm -rf x":                                    {"a/b/claude.MD"},
		"ln -s CLAUDE.md harmless && echo evil > harmless && rm harmless":                          {"CLAUDE.md"},
		"ln -s .claude dir && echo evil > dir/settings.json && echo evil > dir/new.json && rm dir": {".claude/new.json", ".claude/settings.json"},
		"echo evil > AGENTS.md":                                                                    {"docs/agents.md"},
		"echo evil > docs/agents.md":                                                               {"docs/agents.md"},
		"rm -r .claude":                                                                            {".claude/settings.json"},
		"mv .claude elsewhere && ln -s elsewhere .claude && rm -r elsewhere":                       {".claude", ".claude/settings.json"},
		"rm -r pkg/.github && echo file > pkg/.github":                                             {"pkg/.github", "pkg/.github/ci.yml"},
		"git config core.pager evil":                                                               {".git/config"},
		"git config core.hooksPath .husky":                                                         {".git/config"},
		"echo evil > .git/hooks/pre-commit":                                                        {".git/hooks/pre-commit"},
		"echo '* filter=evil' > .git/info/attributes":                                              {".git/info/attributes"},
		"echo '* filter=evil' > pkg/.gitattributes":                                                {"pkg/.gitattributes"},
		"mkdir .husky && echo x > .envrc && echo y > pkg/.envrc && rmdir .husky":                   {".envrc", "pkg/.envrc"},
		"mkdir -p node_modules/x/.github && echo x > node_modules/x/.github/y && rm -rf nothing":   {"node_modules/x/.github/y"},
	} {
		t.Run(line, func(t *testing.T) {
			p := open(t)
			before := p.whole()
			p.sh(line)
			changed, err := p.Restore()
			require.NoError(t, err)
			require.Equal(t, want, changed)
			p.sh("find . -name '*.set-aside' -exec rm -rf {} +; find . -empty -type d -not -path './.git/*' -delete")
			require.Equal(t, before, p.whole())
			again, err := p.Restore()
			require.NoError(t, err)
			require.Empty(t, again)
		})
	}
}

func TestWhatIsTakenAwayIsKept(t *testing.T) {
	p := open(t)
	p.sh("echo 'a thought of the person' > GEMINI.md")
	_, err := p.Restore()
	require.NoError(t, err)
	require.NoFileExists(t, filepath.Join(p.Project, "GEMINI.md"))
	text, err := os.ReadFile(filepath.Join(p.Store, "taken", "1-GEMINI.md"))
	require.NoError(t, err)
	require.Equal(t, "a thought of the person\n", string(text))
}

func TestWhatIsNobodysBusinessStays(t *testing.T) {
	p := open(t)
	p.Named = []string{"GEMINI.md", ".github/workflows"}
	require.NoError(t, p.CopyProtected())
	p.sh("mkdir -p .github/workflows research/1 && echo on > .github/workflows/ci.yml && echo hi > GEMINI.md && echo new > main.go && echo x > .gitignore" +
		" && echo next > .claude/deep-research.local.md && mkdir -p research/1/.claude && echo x > research/1/.claude/y && echo more > README.md && ln -s main.go CLAUDE.local.md")
	changed, err := p.Restore()
	require.NoError(t, err)
	require.Equal(t, []string{"CLAUDE.local.md"}, changed, "the link goes, what it led to stays")
	for name, want := range map[string]string{".github/workflows/ci.yml": "on", "GEMINI.md": "hi", "main.go": "new", ".claude/deep-research.local.md": "next", "research/1/.claude/y": "x"} {
		text, err := os.ReadFile(filepath.Join(p.Project, name))
		require.NoError(t, err)
		require.Equal(t, want+"\n", string(text), name)
	}
}

func TestAWorktreesSettingsAreKeptToo(t *testing.T) {
	p := open(t)
	p.sh("git -c user.name=a -c user.email=a@b commit -qm x --allow-empty && git worktree add -q " + p.Project + "-tree")
	c := restore.Custody{Project: p.Project + "-tree", Store: filepath.Join(t.TempDir(), "store")}
	require.NoError(t, c.CopyProtected())
	p.sh("git config core.pager evil && mkdir -p .git/hooks && echo x > .git/hooks/post-merge")
	changed, err := c.Restore()
	require.NoError(t, err)
	require.Equal(t, []string{filepath.Join(p.Project, ".git/config"), filepath.Join(p.Project, ".git/hooks/post-merge")}, changed)
}
