package main

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/research-council/research-council/internal/engine/hook"
)

// answerPermission allows a campaign's session what an iteration cannot do without: to be
// handed its brief, and to record, from standard input or from files of the
// campaign's own. That leave ends with the command's turn, while the campaign goes
// on: behind a Stop hook's answer, a wake-up, or agents in the background.
// Anything else is left to the person, by silence; nothing is ever denied.
//
// The host asks here only where it would ask the person, with -p too: not for
// what is allowed anyway, nor for what a rule denies, nor in the mode dontAsk,
// which refuses unasked. A PreToolUse hook would run at every call of a tool in
// every session. Where a rule of the person's says to ask, the host offers no
// rule that would end the asking; such a rule holds, and so does plan mode.
func (s session) answerPermission(call hook.Call) {
	if call.HasSuggestions && call.Mode != "plan" && s.isGranted(call) {
		_, _ = s.stdout.Write(hook.PermitAnswer())
	}
}

func (s session) isGranted(call hook.Call) bool {
	switch call.Tool {
	case "Bash":
		return !call.Unboxed && s.isRecordingCommand(call)
	case "Edit", "Write":
		return s.below(call, s.inRun(hostFolder))
	}
	return hook.IsDeskTool(call.Tool)
}

// hostFolder is where the session writes, from its run's folder.
const hostFolder = "seats/session"

// isRecordingCommand reports whether a command asks for the next iteration or records one,
// and reads nothing but what lies in the campaign's folders.
func (s session) isRecordingCommand(call hook.Call) bool {
	files, ok := hook.ParseCampaignCommand(call.Command, council())
	if !ok {
		return false
	}
	for _, file := range files {
		call.File = file
		if !s.below(call, s.inRun(hostFolder), hook.CampaignFolderPrefix+s.Campaign) {
			return false
		}
	}
	return true
}

// council is what the plugin's own program may be called beside its name.
func council() string {
	if plugin := os.Getenv("CLAUDE_PLUGIN_ROOT"); filepath.IsAbs(plugin) {
		return plugin + "/bin/council"
	}
	return "council"
}

// below reports whether a call's file lies in one of some folders of the project.
func (s session) below(call hook.Call, folders ...string) bool {
	file := call.File
	if !filepath.IsAbs(file) {
		file = call.Dir + "/" + file
	}
	for _, project := range []string{s.project, resolved(s.project)} {
		for _, folder := range folders {
			name, ok := strings.CutPrefix(file, project+"/"+folder+"/")
			if ok && filepath.IsAbs(project) && isOrdinaryName(name) && isOrdinaryName(folder) {
				return s.isPlainPath(folder + "/" + name)
			}
		}
	}
	return false
}

// resolved is the path of a folder without links; "" where there is none.
func resolved(path string) string {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return ""
	}
	return real
}

// isOrdinaryName reports whether a file's name, from its folder, is one that nobody
// reads otherwise: the host trims names, spells them in another form of Unicode,
// and takes what begins with a dot for its own settings or another program's.
func isOrdinaryName(name string) bool {
	return filepath.IsLocal(name) && filepath.Clean(name) == name && !strings.Contains("/"+name, "/.") && !strings.ContainsFunc(name, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("_./-", r)
	})
}

// isPlainPath reports whether the way to a file of the project leads through
// folders alone, to a file or to where nothing is yet.
func (s session) isPlainPath(name string) bool {
	for at := range len(name) {
		if name[at] != '/' {
			continue
		}
		if info, err := s.root.Lstat(name[:at]); err != nil || !info.IsDir() {
			return os.IsNotExist(err)
		}
	}
	info, err := s.root.Lstat(name)
	return os.IsNotExist(err) || err == nil && info.Mode().IsRegular()
}
