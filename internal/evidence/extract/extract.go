// Package extract turns the bytes of a source into the text that quotations
// are looked for in.
//
// [Text] takes HTML, PDF, DOCX, EPUB, plain text, Markdown and JSON. The text of a page is
// its article, then, behind [Separator], whatever else is visible on it, so
// that a quotation from a comment or a menu is found and known to be one:
// [Document.Parts] says where each begins. What cannot be seen is not in the
// text: scripts, controls, marks of direction, zero width, tags. Warnings name
// what makes a text worth less than its page: a block page, a paywall, a page
// that says in words that it is not there.
//
// It promises to return for any bytes, in bounded time. It fetches nothing.
package extract

// Kind says what a part of a text is.
type Kind string

const (
	Article Kind = "article" // what the page is about
	Aside   Kind = "aside"   // menus, comments, footers, whatever stands around it
)

// Part is a stretch of a text in bytes, End exclusive.
type Part struct {
	Kind  Kind `json:"kind"`
	Start int  `json:"start"`
	End   int  `json:"end"`
}

// Separator stands between article and aside.
const Separator = "\n\n----- outside the article -----\n\n"

// The warnings, each the beginning of a line that says more. The first two
// mean that what was fetched is not the source.
const (
	BlockPage     = "block page"       // a captcha, a challenge, access denied
	SoftNotFound  = "soft 404"         // the page says in words that it does not exist
	Paywall       = "paywall"          // only the beginning is shown
	CookieWall    = "cookie wall"      // consent is asked instead of showing the text
	SearchResults = "search results"   // a list of hits, no source of its own
	ScriptOnly    = "needs scripts"    // an empty shell that scripts would fill
	WrongCharset  = "wrong charset"    // the bytes are not of the declared encoding
	NoArticle     = "no article"       // no article was made out, all of the text is taken for it
	NoText        = "no text"          // nothing readable in it
	Damaged       = "damaged document" // parts of it could not be read
	Truncated     = "truncated"        // not all of it came
	Garbled       = "garbled text"     // its fonts do not say which letters they show
)

// Document is what was read from a source.
type Document struct {
	Text      string // UTF-8, lines of printable characters, no line of blanks alone
	Parts     []Part // in order; together all of Text but the separator
	Pages     []int  // where in Text each page of a PDF begins, in bytes; none of what has no pages
	Title     string
	Authors   []string
	Published string   // as a date of ISO 8601, or as the page has it
	DOI       string   // the page's own, from its metadata
	Next      string   // the address, maybe relative, that a page without a text of its own sends its reader on to
	MIME      string   // what the bytes are, sniffed where nothing was declared
	Charset   string   // canonical name of the encoding the bytes were read in
	Extractor string   // how the text was got, with the version of the way
	Warnings  []string // each begins with one of the constants above
}
