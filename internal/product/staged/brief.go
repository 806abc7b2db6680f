package staged

import (
	"errors"
	"fmt"
	"strings"
)

// modelBrief is a brief as a model may write it: whether a person has confirmed
// it is not for a model to say, under whatever spelling of the key.
type modelBrief struct {
	Topic           string   `json:"topic"`
	Goal            string   `json:"goal"`
	SuccessCriteria []string `json:"success_criteria"`
	Audience        string   `json:"audience"`
	InScope         []string `json:"in_scope"`
	OutOfScope      []string `json:"out_of_scope"`
	Constraints     []string `json:"constraints"`
}

func readBrief(data []byte) (Brief, error) {
	d, err := decodeAnswer[modelBrief](data)
	if err != nil {
		return Brief{}, fmt.Errorf("read the brief: %w", err)
	}
	return Brief{
		Topic: plainLine(d.Topic), Goal: plainLine(d.Goal), SuccessCriteria: uniqueLines(d.SuccessCriteria), Audience: plainLine(d.Audience),
		InScope: uniqueLines(d.InScope), OutOfScope: uniqueLines(d.OutOfScope), Constraints: uniqueLines(d.Constraints),
	}, nil
}

// CleanBrief makes of a model's brief the one the program keeps: the fields of
// [Brief] and nothing else, each text on one line, not confirmed, whatever the
// model says of that.
func CleanBrief(data []byte) ([]byte, error) {
	b, err := readBrief(data)
	if err != nil {
		return nil, err
	}
	return encoded(b), nil
}

// ConfirmBrief marks a brief as confirmed by a person. It is for the program to
// call when a person has, and refuses a brief that is not complete.
func ConfirmBrief(data []byte) ([]byte, error) {
	b, err := readBrief(data)
	if err != nil {
		return nil, err
	}
	if !b.isComplete() {
		return nil, errors.New("confirm the brief: it lacks its topic, its goal or any success criterion")
	}
	b.Confirmed = true
	return encoded(b), nil
}

// Markdown shows the brief to a person, in a terminal or rendered.
func (b Brief) Markdown() string {
	var out strings.Builder
	fmt.Fprintf(&out, "# Research brief\n\n")
	for _, f := range []struct{ label, text string }{{"Topic", b.Topic}, {"Goal", b.Goal}, {"Audience", b.Audience}} {
		if text := shown(f.text); text != "" {
			fmt.Fprintf(&out, "%s: %s\n\n", f.label, text)
		}
	}
	for _, f := range []struct {
		label string
		list  []string
	}{
		{"Success criteria", b.SuccessCriteria}, {"In scope", b.InScope}, {"Out of scope", b.OutOfScope}, {"Constraints", b.Constraints},
	} {
		writeList(&out, f.label, f.list)
	}
	if b.Confirmed {
		out.WriteString("Confirmed by the person.\n")
	} else {
		out.WriteString("Not confirmed yet.\n")
	}
	return out.String()
}

// writeList writes a list below its label, if there is any.
func writeList(out *strings.Builder, label string, list []string) {
	list = uniqueLines(list)
	if len(list) == 0 {
		return
	}
	fmt.Fprintf(out, "%s:\n\n", label)
	for _, s := range list {
		fmt.Fprintf(out, "- %s\n", shown(s))
	}
	out.WriteByte('\n')
}
