package web

// Private are the forms of addresses that no page may lead anybody to, by what they are:
// this machine and its networks, as they are written and as C's libraries read them.
// direct is the address of something on this machine, on a port.
func Private(direct string) map[string]string {
	return map[string]string{
		"loopback":                  "http://127.0.0.1/",
		"loopback on a port":        direct,
		"loopback's other numbers":  "http://127.8.8.8/",
		"one number":                "http://2130706433/",
		"hexadecimal":               "http://0x7f000001/",
		"octal":                     "http://0177.0.0.1/",
		"short":                     "http://127.1/",
		"a name for loopback":       "http://localhost/",
		"a name for the intranet":   "http://intranet/",
		"nobody":                    "http://0.0.0.0/",
		"ten":                       "http://10.0.0.1/",
		"carrier's":                 "http://100.64.0.1/",
		"a cloud's metadata":        "http://169.254.169.254/latest/",
		"multicast":                 "http://224.0.0.1/",
		"IPv6 loopback":             "http://[::1]/",
		"IPv6 of IPv4":              "http://[::ffff:127.0.0.1]/",
		"IPv6 of IPv4 in hex":       "http://[::ffff:7f00:1]/",
		"IPv6 translated":           "http://[64:ff9b::7f00:1]/",
		"IPv6 tunnelled":            "http://[2002:7f00:1::]/",
		"IPv6 local":                "http://[fe80::1]/",
		"IPv6 unique local":         "http://[fd00::1]/",
		"IPv6 unspecified":          "http://[::]/",
		"a user's name before it":   "http://news.example@127.0.0.1/",
		"a backslash before it":     `http://127.0.0.1\@news.example/`,
		"two at signs":              "http://news.example@a@127.0.0.1/",
		"a full width dot":          "http://127。0。0。1/",
		"another port of the world": "http://93.184.216.34:22/",
		"a trailing dot":            "http://localhost./",
	}
}
