package proc

// What a program is started with to be a keeper, or the one that lets a daemon
// go.
const (
	keeperCommand = "keeper"
	daemonCommand = "daemon"
)

// Main lets a program be started as a keeper or as the one that lets a daemon
// go. It is called first of all, with os.Args; mine is false when the
// arguments are the program's own.
func Main(args []string) (code int, mine bool) {
	if len(args) < 2 {
		return 0, false
	}
	if args[1] == keeperCommand {
		return keeperMain(), true
	}
	return releaserMain(args[1])
}
