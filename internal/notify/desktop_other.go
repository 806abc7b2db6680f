//go:build !darwin

package notify

import (
	"context"
	"errors"
	"strings"
	"sync"

	"github.com/gen2brain/beeep"

	"research-council/internal/agent"
)

// named gives the library our name, once: it is a variable of its own.
var named = sync.OnceFunc(func() { beeep.AppName = "Research council" })

// show uses the library, which does not listen to a context: whoever sends
// does not wait for it any longer than that. Its louder form is not used: that
// writes a bell to our standard output.
func show(_ context.Context, m Message) error {
	named()
	if err := beeep.Notify(harmless(m.Title), harmless(m.Body), ""); err != nil {
		return errors.New(agent.Plain(err.Error(), mostDetail))
	}
	return nil
}

// harmless is a text that is no option of a program and has no markup in it,
// which desktops read in a notice.
func harmless(text string) string {
	text = strings.NewReplacer("<", "‹", ">", "›").Replace(text)
	if strings.HasPrefix(text, "-") {
		return " " + text
	}
	return text
}
