package notify

import "context"

// show uses macOS's own program.
func show(ctx context.Context, m Message) error { return appleScript(ctx, m) }
