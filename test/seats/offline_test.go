package seats_test

import (
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"research-council/internal/agent"
)

// web is how the CLIs name their tools that reach beyond the machine, in what
// they send to their models.
var web = regexp.MustCompile(`"(WebSearch|WebFetch|web_search|web_search_preview|google_web_search|web_fetch)"|web__run`)

// A seat that reads private code and strangers' words has no way to send them
// anywhere but to its model.
func TestASeatThatIsOfflineSeesNoToolOfTheWeb(t *testing.T) {
	each(t, func(t *testing.T, s seat) {
		for _, offline := range []bool{false, true} {
			m := serve(t, s.speak)
			turn := s.turn(t, m)
			turn.Offline = offline
			m.script = []step{{write: turn.Report, content: "# Report\n\n" + agent.Marker + "\n"}, {say: "done"}}
			reply, _ := s.run(t, turn)
			require.Nil(t, reply.Fault)
			seen := false
			for _, body := range m.asked() {
				seen = seen || web.MatchString(body)
			}
			require.Equal(t, !offline, seen, "offline %v", offline)
		}
	})
}
