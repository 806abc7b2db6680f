package main

import (
	"bufio"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// opened is a browser's side of `council serve`: what a script's pages are asked of.
type opened struct {
	address string // of the list of runs
	client  *http.Client
	fields  url.Values // hidden ones of the forms that were seen last
}

// openedKey is where a script keeps it.
type openedKey struct{}

// startServe [-terminal] ARGS… starts council serve for the rest of the script, at a
// terminal of its own where that is said, and opens its address.
func startServe(ts *testscript.TestScript, neg bool, args []string) {
	isPerson := len(args) > 0 && args[0] == "-terminal"
	if isPerson {
		args = args[1:]
	}
	program, err := exec.LookPath("council")
	ts.Check(err)
	cmd := exec.Command(program, append([]string{"serve"}, args...)...)
	cmd.Dir = ts.MkAbs(".")
	for _, name := range []string{"PATH", "HOME", "TMPDIR", "COUNCIL_CONFIG"} {
		cmd.Env = append(cmd.Env, name+"="+ts.Getenv(name))
	}
	if isPerson {
		cmd.Stdin = terminal(ts)
	}
	out, err := cmd.StdoutPipe()
	ts.Check(err)
	ts.Check(cmd.Start())
	ts.Defer(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		_ = cmd.Wait() // it ends as it is told
	})
	address, err := bufio.NewReader(out).ReadString('\n')
	ts.Check(err)
	jar, err := cookiejar.New(nil)
	ts.Check(err)
	client := &http.Client{Jar: jar}
	answer, err := client.Get(strings.TrimSpace(address))
	ts.Check(err)
	ts.Check(answer.Body.Close())
	ts.Value(openedKey{}).(*opened).client = client
	ts.Value(openedKey{}).(*opened).address = "http://" + answer.Request.URL.Host
}

// page PATH [FIELD=VALUE…] asks for a page, "run" being the first run of the list, or sends
// its form, which without fields has a ! behind it; what comes is standard output. With the leading word until=PATTERN it is
// asked for again until that is on it.
func page(ts *testscript.TestScript, neg bool, args []string) {
	o := ts.Value(openedKey{}).(*opened)
	pattern, again := "", false
	if pattern, again = strings.CutPrefix(args[0], "until="); again {
		args = args[1:]
	}
	for began := time.Now(); ; time.Sleep(50 * time.Millisecond) {
		body := o.ask(ts, args)
		if !again || regexp.MustCompile(pattern).MatchString(body) || time.Since(began) > time.Minute {
			_, err := io.WriteString(ts.Stdout(), body)
			ts.Check(err)
			return
		}
	}
}

func (o *opened) ask(ts *testscript.TestScript, args []string) string {
	if args[0] == "/" {
		return o.read(ts, http.MethodGet, o.address+"/", "")
	}
	run := regexp.MustCompile(`/run/[0-9a-f]+/[0-9a-f-]+/`).FindString(o.read(ts, http.MethodGet, o.address+"/", ""))
	form := url.Values{}
	for _, arg := range args[1:] {
		name, value, _ := strings.Cut(arg, "=")
		form.Set(name, value)
	}
	if len(args) == 1 && !strings.HasSuffix(args[0], "!") {
		return o.read(ts, http.MethodGet, o.address+run+strings.TrimPrefix(strings.TrimPrefix(args[0], "run"), "/"), "")
	}
	shown := o.read(ts, http.MethodGet, o.address+run, "")
	for _, name := range []string{"write", "asked"} {
		if m := regexp.MustCompile(`name="` + name + `" value="([^"]*)"`).FindStringSubmatch(shown); m != nil {
			o.fields.Set(name, strings.ReplaceAll(m[1], "&#43;", "+"))
		}
		form.Set(name, o.fields.Get(name))
	}
	return o.read(ts, http.MethodPost, o.address+run+strings.TrimSuffix(strings.TrimPrefix(args[0], "run/"), "!"), form.Encode())
}

func (o *opened) read(ts *testscript.TestScript, method, address, form string) string {
	r, err := http.NewRequest(method, address, strings.NewReader(form))
	ts.Check(err)
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Origin", o.address)
	}
	answer, err := o.client.Do(r)
	ts.Check(err)
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	ts.Check(err)
	return string(body)
}
