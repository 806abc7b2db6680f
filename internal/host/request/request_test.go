package request_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/research-council/research-council/internal/host/request"
)

func pointer(n int) *int { return &n }

func TestFlagsStandAtEitherEdge(t *testing.T) {
	for name, c := range map[string]struct {
		args string
		want request.Request
	}{
		"none":               {`How does it work?`, request.Request{Topic: "How does it work?"}},
		"before":             {`--test How does it work?`, request.Request{Topic: "How does it work?", Test: true}},
		"after":              {`How does it work? --test`, request.Request{Topic: "How does it work?", Test: true}},
		"both":               {`--seats claude,codex How? --max-iterations 3`, request.Request{Topic: "How?", Seats: []string{"claude", "codex"}, Iterations: 3}},
		"joined by =":        {`--max-usd=2.50 How? --tier=cheap`, request.Request{Topic: "How?", USD: 2.5, Tier: "cheap"}},
		"a dollar sign":      {`How? --max-usd $2`, request.Request{Topic: "How?", USD: 2}},
		"a quoted value":     {`How? --scope "my files"`, request.Request{Topic: "How?", Scope: "my files"}},
		"quoted and joined":  {`How? --scope="my files"`, request.Request{Topic: "How?", Scope: "my files"}},
		"quoted in front":    {`--scope="my files" --test How?`, request.Request{Topic: "How?", Scope: "my files", Test: true}},
		"over several lines": {"--max-minutes 5\nHow?\nWhy?\n--test\n", request.Request{Topic: "How?\nWhy?", Minutes: 5, Test: true}},
		"permissions":        {`How? --skip-permissions`, request.Request{Topic: "How?", Bypass: true}},
		"ways to work":       {`--mode decision --debate off How? --budget low`, request.Request{Topic: "How?", Mode: "decision", Debate: "off", Budget: "low"}},
		"two researchers":    {`How? --agents 2`, request.Request{Topic: "How?", Agents: pointer(2)}},
		"where it goes":      {`--output docs/a.md How? --force`, request.Request{Topic: "How?", Output: "docs/a.md", Force: true}},
		"an earlier run":     {`How? --previous 20260222-143000-a1b2c3`, request.Request{Topic: "How?", Previous: "20260222-143000-a1b2c3"}},
		"only the plan":      {`How? --dry-run`, request.Request{Topic: "How?", DryRun: true}},
		"reviewed":           {`How? --review`, request.Request{Topic: "How?", Review: true}},
		"reviewed by these":  {`How? --reviewers claude,groq`, request.Request{Topic: "How?", Review: true, Reviewers: []string{"claude", "groq"}}},
		"spaced list":        {`--seats="a, b,,c" How?`, request.Request{Topic: "How?", Seats: []string{"a", "b", "c"}}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := request.Parse(c.args)
			require.NoError(t, err)
			require.Equal(t, c.want, got)
		})
	}
}

func TestTheQuestionIsKeptAsItIs(t *testing.T) {
	for name, c := range map[string]struct{ args, topic string }{
		"a flag in the middle":          {`why does --test exist at all`, `why does --test exist at all`},
		"a foreign flag in the middle":  {`what does git commit --amend do`, `what does git commit --amend do`},
		"quotes around all":             {`"How does it work?"`, `How does it work?`},
		"single quotes around all":      {`--test 'How?'`, `How?`},
		"quotes inside":                 {`what did "she" say to "him"`, `what did "she" say to "him"`},
		"two quoted pieces":             {`"a" or "b"`, `"a" or "b"`},
		"an apostrophe":                 {`what's the boys' answer`, `what's the boys' answer`},
		"shell words":                   {"$(id) `id` * ? ; rm -rf", "$(id) `id` * ? ; rm -rf"},
		"front matter":                  {"a\n---\nactive: false\n---\nb", "a\n---\nactive: false\n---\nb"},
		"a flag inside quotes":          {`"what is --test"`, `what is --test`},
		"a quoted flag at the end":      {`what is "--test"`, `what is "--test"`},
		"a dash alone":                  {`- or --- ?`, `- or --- ?`},
		"after the end of flags":        {`-- --test is what?  --seats`, `--test is what?  --seats`},
		"flags, then the end of flags":  {`--test -- --seats?`, `--seats?`},
		"quotes after the end of flags": {`-- "--test"`, `--test`},
		"Cyrillic, a NUL, marks":        {"Как\x00 это \u202eработает", "Как\x00 это \u202eработает"},
		"a trailing foreign value":      {`what does rsync --exclude mean`, `what does rsync --exclude mean`},
		"20 KB":                         {strings.Repeat("long ", 4000) + "--test", strings.TrimSpace(strings.Repeat("long ", 4000))},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := request.Parse(c.args)
			require.NoError(t, err)
			require.Equal(t, c.topic, got.Topic)
		})
	}
}

func TestWhatIsWrongIsSaidInOneLineWithTheRemedy(t *testing.T) {
	for name, c := range map[string]struct{ args, says string }{
		"nothing":                 {``, `the question is empty`},
		"only space":              {" \n\t ", `the question is empty`},
		"only flags":              {`--test --seats claude`, `the question is empty`},
		"only invisible signs":    {"\u200b\u202e\x00", `the question is empty`},
		"empty quotes":            {`""`, `the question is empty`},
		"an unknown flag":         {`--fast How?`, `unknown flag --fast (put -- before the question if it belongs to that)`},
		"an unknown flag after":   {`How? --fast`, `unknown flag --fast`},
		"a misspelt flag":         {`--max-iteration 3 How?`, `did you mean --max-iterations?`},
		"a misspelt limit after":  {`How? --max-iterashun 3`, `unknown flag --max-iterashun`},
		"half a name after":       {`How? --max-iter three`, `did you mean --max-iterations?`},
		"underscores":             {`How? --max_usd 3`, `did you mean --max-usd?`},
		"capital letters":         {`How? --TEST`, `did you mean --test?`},
		"no value":                {`How? --seats`, `--seats needs a value: --seats LIST`},
		"a flag for a value":      {`--seats --test How?`, `--seats needs a value`},
		"an empty list":           {`How? --seats=,`, `name at least one seat`},
		"a list of no reviewers":  {`How? --reviewers=,`, `name at least one seat`},
		"a word for a number":     {`How? --agents two`, `--agents "two": use a whole number from 1 to 3`},
		"a mode of no letters":    {`How? --mode " "`, `it has to be a word`},
		"a file with a zero byte": {"How? --output a\x00.md", `it has to be a word`},
		"a folder of no name":     {`How? --scope=`, `name a folder`},
		"a value where none goes": {`--test=yes How?`, `--test takes no value`},
		"the same, after":         {`How? --test=yes`, `--test takes no value`},
		"twice":                   {`--test How? --test`, `--test stands twice`},
		"no iterations":           {`How? --max-iterations 0`, `--max-iterations "0": use a whole number from 1 up`},
		"negative iterations":     {`--max-iterations=-3 How?`, `use a whole number from 1 up`},
		"half an iteration":       {`--max-iterations 1.5 How?`, `use a whole number from 1 up`},
		"too many iterations":     {`--max-iterations 99999999999 How?`, `use a whole number from 1 up`},
		"no money":                {`How? --max-usd 0`, `use an amount above 0`},
		"endless money":           {`How? --max-usd inf`, `use an amount above 0`},
		"no number at all":        {`How? --max-usd NaN`, `use an amount above 0`},
		"no time":                 {`How? --max-minutes -1`, `use a whole number from 1 up`},
		"bytes that are no text":  {"How \xff?", `not valid UTF-8`},
		"too long":                {strings.Repeat("a", request.MaxTopicBytes+1), `at most 1048576 are taken`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := request.Parse(c.args)
			require.ErrorContains(t, err, c.says)
			require.NotContains(t, err.Error(), "\n")
		})
	}
}

// plain is a question that no rule about edges touches.
func plain(topic string) bool {
	return topic == strings.TrimSpace(topic) && !strings.Contains(topic, "--") && !strings.ContainsAny(topic, `"'`) && request.CheckTopic(topic) == nil
}

func TestAnyQuestionBetweenFlagsComesBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		topic := rapid.String().Filter(plain).Draw(t, "topic")
		before := rapid.SampledFrom([]string{"", "--test ", "--seats=a,b\n", "--scope 'x y' --tier max "}).Draw(t, "before")
		after := rapid.SampledFrom([]string{"", " --max-usd 3", "\n--max-iterations=2", ` --max-minutes "7" --skip-permissions `}).Draw(t, "after")
		got, err := request.Parse(before + topic + after)
		require.NoError(t, err)
		require.Equal(t, topic, got.Topic)
		require.Equal(t, strings.Contains(before, "--test"), got.Test)
		require.Equal(t, strings.Contains(after, "--max-usd"), got.USD == 3)
	})
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{``, `--test How?`, `How? --seats a,b`, `"How?" --scope="a b"`, `-- --x`, "a\x00\xff", `--seats '`, `x --scope "`, `=--`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, args string) {
		got, err := request.Parse(args)
		if err != nil {
			require.NotContains(t, err.Error(), "\n")
			return
		}
		require.Contains(t, args, got.Topic, "a question is a piece of what was given")
		require.True(t, utf8.ValidString(got.Topic))
		if plain(got.Topic) {
			again, err := request.Parse("-- " + got.Topic)
			require.NoError(t, err)
			require.Equal(t, got.Topic, again.Topic)
		}
	})
}
