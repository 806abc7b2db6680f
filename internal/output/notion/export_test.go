package notion

import "net/http"

// Through sends a client's requests by way of a transport of the test's own.
func (c *Client) Through(t http.RoundTripper) *Client {
	c.http.Transport = t
	return c
}
