package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/base/usage"
)

// said is what the program says to arguments, and what is wrong with them.
func said(t *testing.T, args ...string) (string, error) {
	var out bytes.Buffer
	c := command(t.Context())
	c.SetArgs(args)
	c.SetOut(&out)
	c.SetErr(&out)
	err := c.Execute()
	return out.String(), err
}

func TestMistakesAreToldBeforeAnythingIsBegun(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(text), mode))
		return path
	}
	good := write("good.jsonl", `{"question":"Why?","seats":["one"]}`, 0o600)
	two := write("two.jsonl", strings.Repeat(`{"question":"Why?","seats":["one"]}`+"\n", 2), 0o600)
	bad := write("bad.jsonl", `{"question":"Why?","seats":["one"]}`+"\n{\"question\":\"Why?\"}\n", 0o600)
	for _, c := range []struct{ args, why string }{
		{"nonsense", `"nonsense" is no command`},
		{"submit", "use it as in: council-fleet submit BATCH.jsonl"},
		{"note council-1", "use it as in: council-fleet note RUN FILE"},
		{"status --colour red", "unknown flag"},
		{"submit " + filepath.Join(dir, "none.jsonl"), "no such file"},
		{"submit " + bad, "nothing was begun: line 2: seats: name at least one"},
		{"submit " + good, "--store, --key"},
		{"submit --beat 1s " + good, "no worker could stop in time"},
		{"worker", "--dir"},
		{"collect", "--to DIR"},
		{"pause --seat A", `"A" is no name of a seat`},
		{"limit --usd-a-day 5", "say of which vendor"},
		{"limit anthropic", "say what the limit is (--turns-a-minute, --usd-a-day), or --none"},
		{"limit anthropic --none --usd-a-day 5", "or --none"},
		{"limit anthropic --usd-a-day NaN", "a number that is not negative"},
		{"limit anthropic --usd-a-day -1", "a number that is not negative"},
		{"limit anthropic --turns-a-minute 1.5", "invalid argument"},
		{"limit anthropic --turns-a-minute 100000", "up to 6000"},
		{"limit ../runs --turns-a-minute 5", "no name of a vendor"},
		{"limit a b", "use it as in: council-fleet limit [VENDOR]"},
		{"bench " + good, "--to DIR"},
		{"bench --to out " + good, "say which seats answer"},
		{"bench --to out --each {} " + good, "nothing was begun: line 1: id: use a text or a whole number"},
		{"bench --to out --each {} " + filepath.Join(dir, "none.jsonl"), "no such file"},
		{"drain", "use it as in: council-fleet drain WORKER"},
		{"schedule often", `"often" is no command of schedule`},
		{"schedule add " + good, "say when: --every or --cron"},
		{"schedule add --every 1h --cron x " + good, "one of them"},
		{"schedule add --every 1s " + good, "at least 1m"},
		{"schedule add --every 1h --zone UTC " + good, "--zone is for --cron"},
		{"schedule add --every 1h --name A " + good, "no name of a schedule"},
		{"schedule add --every 1h " + two, "it has 2 lines; a schedule is one"},
		{"schedule remove", "use it as in: council-fleet schedule remove NAME"},
	} {
		_, err := said(t, strings.Fields(c.args)...)
		require.ErrorContains(t, err, c.why, c.args)
		var typed usage.Mistake
		require.ErrorAs(t, err, &typed, c.args)
	}
}

func TestAKeyThatOthersCanReadIsRefused(t *testing.T) {
	key, err := said(t, "key")
	require.NoError(t, err)
	require.Len(t, strings.TrimSpace(key), 2*keyBytes)
	other, err := said(t, "key")
	require.NoError(t, err)
	require.NotEqual(t, key, other)

	path := filepath.Join(t.TempDir(), "key")
	p := &place{store: "file:///x", key: path}
	require.NoError(t, os.WriteFile(path, []byte(key), 0o600))
	require.NoError(t, p.readKey())
	require.Len(t, p.Key, keyBytes)
	require.NoError(t, os.Chmod(path, 0o644))
	require.ErrorContains(t, p.readKey(), "others can read the key")
	require.NoError(t, os.WriteFile(path, []byte("short"), 0o600))
	require.NoError(t, os.Chmod(path, 0o600))
	require.ErrorContains(t, p.readKey(), "holds no key")
}
