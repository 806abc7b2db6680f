package notify

import "context"

// show uses macOS's own program: the library builds a script of the texts.
func show(ctx context.Context, m Message) error { return appleScript(ctx, m) }
