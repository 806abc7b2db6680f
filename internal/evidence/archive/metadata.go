package archive

import (
	"encoding/binary"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// metadataAddresses are where clouds tell whoever asks from inside who he is and what
// keys he has. They are refused whatever the user allows: no source stands
// there. Beside them link-local addresses are, where most of them lie.
var metadataAddresses = []netip.Prefix{
	netip.MustParsePrefix("169.254.0.0/16"),     // AWS, GCP, Azure, Oracle, Tencent, Scaleway, OpenStack and others
	netip.MustParsePrefix("fe80::/10"),          // OpenStack
	netip.MustParsePrefix("168.63.129.16/32"),   // Azure, a public address
	netip.MustParsePrefix("100.100.100.200/32"), // Alibaba
	netip.MustParsePrefix("192.0.0.192/32"),     // Oracle
	netip.MustParsePrefix("161.26.0.0/16"),      // IBM, inside its cloud alone
	netip.MustParsePrefix("166.9.0.0/16"),       // IBM
	netip.MustParsePrefix("fd00:ec2::/32"),      // AWS
	netip.MustParsePrefix("fd20:ce::254/128"),   // GCP
	netip.MustParsePrefix("fd00:c1::a9fe:a9fe/128"),
	netip.MustParsePrefix("fd00:42::42/128"),       // Scaleway
	netip.MustParsePrefix("fd00:a9fe:a9fe::1/128"), // Akamai
}

// metadataNames are names of the same.
var metadataNames = []string{
	"metadata", "metadata.google.internal", "metadata.goog", "instance-data", "instance-data.ec2.internal",
	"metadata.azure.internal", "metadata.aliyuncs.com", "metadata.tencentyun.com", "api.metadata.cloud.ibm.com",
	"metadata.platformequinix.com", "metadata.packet.net", "rancher-metadata",
}

// metadataAddress reports whether an address leads to such a service, also
// where it stands inside another.
func metadataAddress(ip netip.Addr) bool {
	for _, at := range append(embeddedIPv4(ip), ip.Unmap().WithZone("")) {
		if slices.ContainsFunc(metadataAddresses, func(p netip.Prefix) bool { return p.Contains(at) }) {
			return true
		}
	}
	return false
}

// metadataName reports whether a host's name is one of such a service.
func metadataName(host string) bool { return slices.Contains(metadataNames, host) }

// Ranges of IPv6 that carry addresses of IPv4.
var (
	ipv4Compatible = netip.MustParsePrefix("::/96")
	nat64          = netip.MustParsePrefix("64:ff9b::/96") // NAT64, RFC 6052
	local64        = netip.MustParsePrefix("64:ff9b:1::/48")
	sixToFour      = netip.MustParsePrefix("2002::/16")
	teredo         = netip.MustParsePrefix("2001::/32")
)

// embeddedIPv4 are the addresses of IPv4 that one of IPv6 may lead to.
func embeddedIPv4(ip netip.Addr) []netip.Addr {
	if !ip.Is6() || ip.Is4In6() {
		return nil
	}
	ip = ip.WithZone("")
	b := ip.As16()
	four := func(at int) netip.Addr { return netip.AddrFrom4([4]byte(b[at : at+4])) }
	switch {
	case ipv4Compatible.Contains(ip), nat64.Contains(ip), local64.Contains(ip):
		return []netip.Addr{four(12)}
	case sixToFour.Contains(ip):
		return []netip.Addr{four(2)}
	case teredo.Contains(ip):
		client := netip.AddrFrom4([4]byte{^b[12], ^b[13], ^b[14], ^b[15]})
		return []netip.Addr{four(4), client}
	}
	return nil
}

// normaliseHost is a host's name as it is looked up: in small letters, without a
// last dot, and without letters that only look like others.
func normaliseHost(host string) string {
	host = strings.ToLower(norm.NFKC.String(host))
	return strings.TrimSuffix(strings.ReplaceAll(host, "。", "."), ".")
}

// numeric reads a host that is an address, also in the numbers that C's
// libraries take for one: 0x7f000001, 0177.0.0.1, 127.1.
func numeric(host string) (netip.Addr, bool) {
	if ip, err := netip.ParseAddr(strings.Trim(host, "[]")); err == nil {
		return ip, true
	}
	parts := strings.Split(host, ".")
	if len(parts) > 4 {
		return netip.Addr{}, false
	}
	var sum uint64
	for i, part := range parts {
		n, err := strconv.ParseUint(goNumber(part), 0, 32)
		last := i == len(parts)-1
		if err != nil || strings.ContainsAny(part, "_+-") || !last && n > 255 {
			return netip.Addr{}, false
		}
		if bits := 8 * (5 - len(parts)); last && n>>bits > 0 {
			return netip.Addr{}, false
		} else if last {
			sum = sum<<bits | n
			break
		}
		sum = sum<<8 | n
	}
	var b [4]byte
	binary.BigEndian.PutUint32(b[:], uint32(sum))
	return netip.AddrFrom4(b), true
}

// goNumber is a part of an address as Go reads numbers: C takes only 0x and 0 for
// marks of another base.
func goNumber(part string) string {
	if len(part) > 1 && part[0] == '0' && part[1] >= '0' && part[1] <= '7' {
		return "0o" + part[1:]
	}
	if len(part) > 1 && part[0] == '0' && part[1] != 'x' && part[1] != 'X' {
		return "x" // no number
	}
	return part
}
