package batch_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/fleet/internal/batch"
)

const sha = "0123456789012345678901234567890123456789"

func TestLinesThatAreTaken(t *testing.T) {
	for _, c := range []struct{ line, args string }{
		{`{"question":"Why?","seats":["claude"]}`, "run --quiet --json --seats claude --topic-file Q"},
		{`{"question":"Why?","seats":["two","one"],"max_usd":2.5,"max_minutes":10,"no_plan":true,"test":false}`, "run --quiet --json --seats two,one --max-minutes=10 --max-usd=2.5 --no-plan --topic-file Q"},
		{`{"question":"--help","seats":["claude"],"scope":{"git":"https://example.org/x.git","commit":"` + sha + `"}}`, "run --quiet --json --seats claude --scope S --topic-file Q"},
		{`{"kind":"staged","question":"Why?","seats":["claude"]}`, "staged --quiet --json --seats claude --topic-file Q"},
		{`{"kind":"review","seats":["claude"],"scope":{"git":"file:///srv/x","commit":"` + sha + `"}}`, "review --quiet --json --seats claude -- S"},
	} {
		req, err := batch.Parse([]byte(c.line))
		require.NoError(t, err, c.line)
		scope := ""
		if req.Scope != nil {
			scope = "S"
		}
		require.Equal(t, c.args, strings.Join(req.Args("Q", scope), " "))
	}
}

func TestLinesThatAreRefused(t *testing.T) {
	for line, why := range map[string]string{
		`{`:                                    "no JSON object",
		`[]`:                                   "no JSON object",
		`"Why?"`:                               "no JSON object",
		`{"question":"Why?"}`:                  "name at least one",
		`{"question":"","seats":["claude"]}`:   "the question is empty",
		`{"seats":["claude"]}`:                 "the question is empty",
		`{"question":"Why?","seats":"claude"}`: "no list of names",
		`{"question":"Why?","seats":["--x"]}`:  "no name of a seat",
		`{"question":"Why?","seats":["a+b"]}`:  "no name of a seat",
		`{"question":"Why?","seats":["claude"],"max_usd":-1}`:                                                        "use an amount above 0",
		`{"question":"Why?","seats":["claude"],"max_usd":"lots"}`:                                                    "use an amount above 0",
		`{"question":"Why?","seats":["claude"],"colour":"red"}`:                                                      `"colour" is nothing that can be asked for`,
		`{"question":"Why?","seats":["claude"],"skip_permissions":true}`:                                             "nothing that can be asked for",
		`{"question":"Why?","seats":["claude"],"output":"/etc/passwd"}`:                                              "nothing that can be asked for",
		`{"question":"Why?","seats":["claude"],"priority":9}`:                                                        "priority",
		`{"question":"Why?","seats":["claude"],"kind":"campaign"}`:                                                   "use council, staged or review",
		`{"question":"Why?","seats":["claude"],"scope":{"git":"ext::sh -c true","commit":"` + sha + `"}}`:            "no address of a git repository",
		`{"question":"Why?","seats":["claude"],"scope":{"git":"--upload-pack=x","commit":"` + sha + `"}}`:            "no address of a git repository",
		`{"question":"Why?","seats":["claude"],"scope":{"git":"https://u:p@example.org/x","commit":"` + sha + `"}}`:  "holds a password",
		`{"question":"Why?","seats":["claude"],"scope":{"git":"https://example.org/x","commit":"main"}}`:             "no commit",
		`{"kind":"review","seats":["claude"]}`:                                                                       "a review has a scope",
		`{"question":"Why?","seats":["claude"],"tier":"golden"}`:                                                     `tier "golden": use one of max, standard, cheap`,
		`{"kind":"staged","question":"Why?","seats":["claude"],"tier":"Cheap"}`:                                      `tier "Cheap": use one of`,
		`{"kind":"review","seats":["claude"],"tier":"x","scope":{"git":"file:///srv/x","commit":"` + sha + `"}}`:     `tier "x": use one of`,
		`{"question":"Why?","seats":["claude"],"mode":"serious"}`:                                                    `mode "serious": use one of exploratory, compliance, decision`,
		`{"question":"Why?","seats":["claude"],"debate":"always"}`:                                                   `debate "always": use one of auto, force, off`,
		`{"question":"Why?","seats":["claude"],"budget":"huge"}`:                                                     `budget "huge": use one of low, medium, high`,
		`{"question":"Why?","seats":["claude"],"agents":7}`:                                                          "agents 7: use a whole number from 1 to 3",
		`{"question":"Why?","seats":["claude"],"mode":"compliance","debate":"off"}`:                                  "compliance always debates",
		`{"kind":"review","seats":["claude"],"since":"main","scope":{"git":"file:///srv/x","commit":"` + sha + `"}}`: "nothing that can be asked for",
		`{"question":"Why?","seats":["claude"],"id":"a\tb"}`:                                                         "id: use at most 200 bytes, in one line",
		`{"question":"Why?","seats":["claude"]} {}`:                                                                  "more than one",
	} {
		_, err := batch.Parse([]byte(line))
		require.ErrorContains(t, err, why, line)
	}
}

func TestOneBadLineRefusesTheBatch(t *testing.T) {
	good := `{"question":"Why?","seats":["claude"]}`
	list, err := batch.Read(strings.NewReader("\ufeff" + good + "\r\n\n" + good + "\n"))
	require.NoError(t, err)
	require.Len(t, list, 2)

	_, err = batch.Read(strings.NewReader(good + "\n{\n" + good + "\n[]"))
	require.ErrorContains(t, err, "line 2: ")
	require.ErrorContains(t, err, "line 4: ")
	_, err = batch.Read(strings.NewReader("\n \n"))
	require.ErrorContains(t, err, "the batch is empty")
	_, err = batch.Read(strings.NewReader(`{"question":"` + strings.Repeat("x", 4<<20)))
	require.ErrorContains(t, err, "line 1: it has more than")
}

func TestARunIsNamedByItsContent(t *testing.T) {
	name := func(line string) string {
		req, err := batch.Parse([]byte(line))
		require.NoError(t, err)
		return req.Run()
	}
	one := name(`{"question":"Why?","seats":["claude"],"max_usd":2}`)
	require.Equal(t, one, name(`{"max_usd":2.0,"seats":["claude"],"priority":1,"question":"Why?"}`))
	require.NotEqual(t, one, name(`{"question":"Why?","seats":["claude"],"max_usd":3}`))
	require.NotEqual(t, one, name(`{"question":"Why?","seats":["claude"],"max_usd":2,"tenant":"b"}`))
}

func TestAQueueIsASetOfSeats(t *testing.T) {
	require.Equal(t, batch.Queue([]string{"a", "b"}), batch.Queue([]string{"b", "a", "b"}))
	seats, is := batch.SeatsOf(batch.Queue([]string{"b", "a"}))
	require.True(t, is)
	require.Equal(t, []string{"a", "b"}, seats)
	_, is = batch.SeatsOf("x")
	require.False(t, is)
}
