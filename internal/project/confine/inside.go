package confine

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strings"
	"syscall"
)

// innerArgument is the argument by which a program knows that it is the first
// process of a box.
const innerArgument = "inside-a-box"

// nowhere says that no host may be asked: then nothing listens, and the command is
// told of no proxy.
const nowhere = "nowhere"

// forwards are the ports of this machine that a box may reach, in the words of
// the inner process.
func forwards(hosts []string) []string {
	var ports []string
	for _, h := range hosts {
		if name, port, err := net.SplitHostPort(h); err == nil && loopback(name) {
			ports = append(ports, port)
		}
	}
	slices.Sort(ports)
	return slices.Compact(ports)
}

// RunInside is the life of a box's first process, and tells whether this is one: it
// opens the ways to the proxy, runs the command, and ends as that does. A
// program that boxes name calls it first of all.
func RunInside(argv []string) (code int, mine bool) {
	if len(argv) < 3 || argv[1] != innerArgument {
		return 0, false
	}
	at := slices.Index(argv, "--")
	if at < 3 || at == len(argv)-1 {
		return 2, true
	}
	code, err := runInside(argv[2], argv[3:at], argv[at+1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "the confined shell: "+err.Error())
	}
	return code, true
}

// Exit codes of a shell for a command that cannot be started.
const (
	notExecutable = 126
	notFound      = 127
)

func runInside(word string, ports, argv []string) (int, error) {
	env := os.Environ()
	if !slices.Contains(ports, nowhere) {
		at, err := listenInside(ports)
		if err != nil {
			return notExecutable, err
		}
		env = append(env, proxyVariables(at)...)
	}
	if err := announceStart(word); err != nil {
		return notExecutable, err
	}
	signal.Ignore(syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP) // the command is asked too; when it ends, so do we
	path, err := exec.LookPath(argv[0])
	if err != nil {
		return notFound, err
	}
	cmd := &exec.Cmd{Path: path, Args: argv, Env: env, Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr}
	err = cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		if s, ok := exit.Sys().(syscall.WaitStatus); ok && s.Signaled() {
			return 128 + int(s.Signal()), nil // as shells have it
		}
		return exit.ExitCode(), nil
	}
	if err != nil {
		return notExecutable, err
	}
	return 0, nil
}

// announceStart tells the proxy that the command begins.
func announceStart(word string) error {
	c, err := net.Dial("unix", socketInside)
	if err != nil {
		return err
	}
	defer c.Close()
	if _, err := io.WriteString(c, beginMethod+" /"+word+" HTTP/1.1\r\nHost: council\r\n\r\n"); err != nil {
		return err
	}
	answer, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		return err
	}
	return answer.Body.Close()
}

// listenInside listens inside the box: for HTTP, and at each port of the machine that
// may be reached. It returns the address of the first.
func listenInside(ports []string) (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	go accept(l, func(c net.Conn) { forward(c, "") })
	for _, port := range ports {
		f, err := net.Listen("tcp", "127.0.0.1:"+port)
		if err != nil {
			continue // a port of the superuser's, which a box has no right to
		}
		go accept(f, func(c net.Conn) { forward(c, "localhost:"+port) })
	}
	return l.Addr().String(), nil
}

func accept(l net.Listener, serve func(net.Conn)) {
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		go serve(c)
	}
}

// forward joins a connection with the proxy, to speak with it, or with an address
// that it is asked for.
func forward(c net.Conn, address string) {
	defer c.Close()
	out, err := net.Dial("unix", socketInside)
	if err != nil {
		return
	}
	defer out.Close()
	if address == "" {
		copyBoth(c, c, out)
		return
	}
	if _, err := io.WriteString(out, "CONNECT "+address+" HTTP/1.1\r\nHost: "+address+"\r\n\r\n"); err != nil {
		return
	}
	r := bufio.NewReader(out)
	answer, err := http.ReadResponse(r, &http.Request{Method: http.MethodConnect})
	if err != nil || answer.StatusCode != http.StatusOK {
		return
	}
	copyBoth(c, c, &readAhead{out, r})
}

// proxyVariables are the variables by which programs find a proxy.
func proxyVariables(address string) []string {
	var env []string
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"} {
		env = append(env, name+"=http://"+address, strings.ToLower(name)+"=http://"+address)
	}
	const here = "localhost,127.0.0.1,::1"
	return append(env, "NO_PROXY="+here, "no_proxy="+here, "NODE_USE_ENV_PROXY=1")
}
