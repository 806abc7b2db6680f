//go:build !darwin

package notify

import (
	"context"
	"errors"
	"os/exec"
	"strings"

	"github.com/research-council/research-council/internal/base/plain"

	"github.com/godbus/dbus/v5"
)

// The service that shows notices, and its method (Desktop Notifications
// Specification, 1.2).
const (
	service = "org.freedesktop.Notifications"
	object  = "/org/freedesktop/Notifications"
	method  = service + ".Notify"
)

// show asks the service on the session's bus, and where nothing serves there
// the program of KDE that needs no service. Neither listens to a context:
// whoever sends does not wait for them any longer than that.
func show(_ context.Context, m Message) error {
	title, body := escapeNotice(m.Title), escapeNotice(m.Body)
	err := byService(title, body)
	if err == nil {
		return nil
	}
	if exec.Command("kdialog", "--title", title, "--passivepopup", body).Run() == nil {
		return nil
	}
	return errors.New(plain.Line(err.Error(), maxDetail))
}

func byService(title, body string) error {
	bus, err := dbus.SessionBus()
	if err != nil {
		return err
	}
	const (
		replaces = uint32(0) // none
		expires  = int32(-1) // as the desktop is set
	)
	call := bus.Object(service, object).Call(method, 0, "Research council", replaces, "", title, body, []string{}, map[string]dbus.Variant{}, expires)
	return call.Err
}

// escapeNotice is a text that is no option of a program and has no markup in it,
// which desktops read in a notice.
func escapeNotice(text string) string {
	text = strings.NewReplacer("<", "‹", ">", "›").Replace(text)
	if strings.HasPrefix(text, "-") {
		return " " + text
	}
	return text
}
