// Ran is the program the launchers start in their tests: it says where it ran,
// with what, and does as its environment says.
package main

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"
)

func main() {
	log := os.Getenv("RANLOG")
	self, _ := os.Executable()
	in, _ := io.ReadAll(os.Stdin)
	f, err := os.OpenFile(log, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		panic(err)
	}
	fmt.Fprintf(f, "%s\t%d\t%d\n", strconv.Quote(self), os.Getpid(), os.Getppid())
	_ = os.WriteFile(log+".argv", []byte(strings.Join(os.Args, "\x00")+"\x00"), 0o666)
	_ = os.WriteFile(log+".stdin", in, 0o666)
	out, set := os.LookupEnv("RAN_STDOUT")
	if !set {
		out = "OUT-OF-BINARY\n"
	}
	fmt.Print(out)
	fmt.Fprint(os.Stderr, os.Getenv("RAN_STDERR"))
	sleep, _ := strconv.Atoi(os.Getenv("RAN_SLEEP"))
	time.Sleep(time.Duration(sleep) * time.Second)
	code, _ := strconv.Atoi(os.Getenv("RAN_EXIT"))
	os.Exit(code)
}
