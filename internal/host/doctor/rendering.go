package doctor

import (
	"context"

	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/output/browser"
)

// rendering says whether pages are read that are empty without their scripts.
func (x exam) rendering(ctx context.Context) []Check {
	const area, unread = "scripts", "pages that scripts make stay unchecked: "
	program := browser.Chromium(x.env["PATH"])
	switch {
	case x.Config.Network.Render == flow.RenderOff:
		return []Check{newCheck(area, Note, unread+"network: render is off", "set it to auto to have them read")}
	case x.OS == "windows":
		return []Check{newCheck(area, Note, unread+"they are not run on Windows", "nothing can be done here")}
	case program == "":
		return []Check{newCheck(area, Note, unread+"no Chromium is installed", "install chromium to have them read")}
	case x.Confine == nil:
		return []Check{okCheck(area, "pages that scripts make are read with %s", program)}
	}
	err := x.Confine(ctx)
	switch {
	case err != nil && x.Root:
		return []Check{newCheck(area, Note, unread+"a Chromium of the superuser runs only in a box, and there is none", "install bubblewrap, or run as another user")}
	case err != nil:
		return []Check{okCheck(area, "pages that scripts make are read with %s, without a network, and without a box around it", program)}
	}
	return []Check{okCheck(area, "pages that scripts make are read with %s, in a box without a network", program)}
}
