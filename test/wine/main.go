// Command wine makes what Go's programs need of Windows and an older Wine has
// not: bcryptprimitives.dll, whose one function of random numbers is handed on
// to the one that Wine has. It holds no code, only an export that names another
// library's. Beside it it writes FILE.overlay, by which go builds programs (-overlay)
// that delete files in the older way where Wine does not know the newer.
//
//	go run ./test/wine FILE
package main

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: wine FILE")
		os.Exit(2)
	}
	if err := os.WriteFile(os.Args[1], library("bcryptprimitives.dll", "ProcessPrng", "advapi32.SystemFunction036"), 0o644); err != nil {
		fail(err)
	}
	if err := writeOverlay(os.Args[1]); err != nil {
		fail(err)
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "wine: "+err.Error())
	os.Exit(1)
}

// writeOverlay has Go's own deleting fall back, too, where Wine answers that it has
// no such call (its status 0xC0000002).
func writeOverlay(library string) error {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return err
	}
	from := filepath.Join(strings.TrimSpace(string(root)), "src", "internal", "syscall", "windows", "at_windows.go")
	text, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	const known, more = "\t\tSTATUS_NOT_SUPPORTED:", "\t\tSTATUS_NOT_SUPPORTED, NTStatus(0xC0000002):"
	if !bytes.Contains(text, []byte(known)) {
		return errors.New(from + " deletes files in a way we do not know")
	}
	to := library + ".go"
	if err := os.WriteFile(to, bytes.Replace(text, []byte(known), []byte(more), 1), 0o644); err != nil {
		return err
	}
	overlay, err := json.Marshal(map[string]map[string]string{"Replace": {from: to}})
	if err != nil {
		return err
	}
	return os.WriteFile(library+".overlay", overlay, 0o644)
}

// Where things stand in the file, and in memory: headers, then one section.
const (
	fileAlign = 0x200
	pageAlign = 0x1000
)

// library is a 64 bit library that exports one name, which stands for another
// library's: "dll.name".
func library(name, export, target string) []byte {
	section := exports(name, export, target)
	used := uint32(len(section))
	section = append(section, make([]byte, fileAlign-len(section))...)
	var b bytes.Buffer
	put := func(values ...any) {
		for _, v := range values {
			_ = binary.Write(&b, binary.LittleEndian, v) // a buffer takes everything
		}
	}
	put([]byte("MZ"), make([]byte, 58), uint32(64))                           // the old header: where the new one begins
	put([]byte("PE\x00\x00"), uint16(0x8664), uint16(1))                      // amd64, one section
	put(make([]byte, 12), uint16(240), uint16(0x2022))                        // an executable image, a DLL, large addresses
	put(uint16(0x20b), uint16(0), uint32(0), uint32(fileAlign), uint32(0))    // PE32+, no code, data
	put(uint32(0), uint32(pageAlign), uint64(0x180000000))                    // no entry, no code, base
	put(uint32(pageAlign), uint32(fileAlign), uint32(6), uint32(0))           // alignments, versions
	put(uint32(6), uint32(0), uint32(2*pageAlign), uint32(fileAlign))         // subsystem's version, sizes
	put(uint32(0), uint16(2), uint16(0x140))                                  // checksum, subsystem, may be moved, no execution of data
	put(uint64(1<<20), uint64(1<<12), uint64(1<<20), uint64(1<<12))           // stack and heap
	put(uint32(0), uint32(16), uint32(pageAlign), used, make([]byte, 15*8))   // directories: exports alone
	put([]byte(".edata\x00\x00"), used, uint32(pageAlign), uint32(fileAlign)) // the section
	put(uint32(fileAlign), make([]byte, 12), uint32(0x40000040))              // data that is read
	return append(append(b.Bytes(), make([]byte, fileAlign-b.Len())...), section...)
}

// exports is the section with the table of names.
func exports(name, export, target string) []byte {
	const address, names, ordinals, texts = 40, 44, 48, 52
	at := func(offset int) uint32 { return pageAlign + uint32(offset) }
	exportAt := texts + len(name) + 1
	targetAt := exportAt + len(export) + 1
	var b bytes.Buffer
	for _, v := range []uint32{
		0, 0, 0, at(texts), 1, 1, 1, at(address), at(names), at(ordinals), // the directory
		at(targetAt), at(exportAt), 0,
	} {
		_ = binary.Write(&b, binary.LittleEndian, v) // a buffer takes everything
	}
	for _, text := range []string{name, export, target} {
		b.WriteString(text + "\x00")
	}
	return b.Bytes()
}
