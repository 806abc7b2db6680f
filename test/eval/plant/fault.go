package plant

// Fault names what is wrong with a claim or with the source it cites.
type Fault string

// None is an honest claim about a source that can be read.
const None Fault = ""

// Want is what a checker has to say of a claim.
type Want string

// What a checker may have to say.
const (
	Located   Want = "located"   // the quotation stands in the source
	NotFound  Want = "not found" // the source was read, or is gone, and does not hold it
	Unchecked Want = "unchecked" // it could not be looked for: an outage is no verdict
	Refused   Want = "refused"   // not found or unchecked
	Flagged   Want = "flagged"   // refused, or located with a finding, a warning or a mark
)

// Place is where a fault lies.
type Place string

// Where faults lie: in the words a seat wrote, or in what a source does.
const (
	InQuote  Place = "quotation"
	InSource Place = "source"
)

// Sort is one fault: its name, where it lies, and what a checker has to say.
type Sort struct {
	Fault Fault
	Place Place
	Want  Want
	Kind  Kind   // of the word that is altered; Plain for other faults
	Twin  Manner // how the source of its honest twin is served; "" is any harmless manner
	What  string
}

// Mark is what a checker may hold against a claim that is located all the same.
type Mark string

// The marks.
const (
	MarkElided    Mark = "elided"              // words of the source are missing from the quotation
	MarkAside     Mark = "outside the article" // in a menu or a comment
	MarkTruncated Mark = "truncated"           // not all of the source came
	MarkRetracted Mark = "retracted"
	MarkCopy      Mark = "a copy" // its text is another source's too
)

// Mark is the mark that a fault which has to be flagged asks for.
func (f Fault) Mark() Mark {
	switch f {
	case LeftOut:
		return MarkElided
	case Comment, Navigation:
		return MarkAside
	case Cut:
		return MarkTruncated
	case Retracted:
		return MarkRetracted
	case Copy:
		return MarkCopy
	}
	return ""
}

// Manner is how a source is served.
type Manner string

// Faults lists every fault that is planted in a run of seats.
func Faults() []Sort {
	return append(quoteFaults(), sourceFaults()...)
}

func quoteFaults() []Sort {
	return []Sort{
		{"altered number", InQuote, Refused, Number, "", "a digit changed, two swapped or the point moved"},
		{"stale year", InQuote, Refused, Year, "", "another year"},
		{"altered date", InQuote, Refused, Month, "", "another month"},
		{"altered unit", InQuote, Refused, Unit, "", "kilograms for tonnes"},
		{"altered magnitude", InQuote, Refused, Magnitude, "", "million for billion"},
		{"turned comparator", InQuote, Refused, Comparator, "", "at least for at most, increased for decreased"},
		{"flipped negation", InQuote, Refused, Negation, "", "a not added or lost"},
		{"swapped quantifier", InQuote, Refused, Quantifier, "", "all for most"},
		{"dropped hedge", InQuote, Refused, Hedge, "", "may reduce becomes reduces"},
		{"altered name", InQuote, Refused, Name, "", "another institute"},
		{"swapped content word", InQuote, Refused, Thing, "", "turbines for vaccines"},
		{Stitched, InQuote, Refused, Plain, "", "the halves of two distant sentences as one"},
		{LeftOut, InQuote, Flagged, Plain, "", "four words missing without an ellipsis"},
		{WrongPage, InQuote, Refused, Plain, "", "the words stand on another page of the same host"},
		{Invented, InQuote, Refused, Plain, "", "a sentence that stands nowhere"},
		{Shuffled, InQuote, Refused, Plain, "", "all the words, in another order"},
	}
}

// Faults of a quotation that are no altered word.
const (
	Stitched  Fault = "stitched quotation"
	LeftOut   Fault = "words left out"
	WrongPage Fault = "wrong page"
	Invented  Fault = "invented quotation"
	Shuffled  Fault = "shuffled words"
)

// The manners of a fault's source bear its name.
func sourceFaults() []Sort {
	return []Sort{
		{Dead, InSource, Refused, Plain, Archived, "404 or 410, and no copy of it"},
		{NeverWas, InSource, Refused, Plain, Relocated, "an address that never was"},
		{Soft404, InSource, Refused, Plain, AboutErrors, "status 200 and the words that there is no such page"},
		{Entrance, InSource, Refused, Plain, Relocated, "a dead page that leads to the start page"},
		{Block, InSource, Unchecked, Plain, AboutBlocks, "403 and a riddle for people"},
		{Block200, InSource, Unchecked, Plain, AboutBlocks, "the same with status 200"},
		{PaywallStub, InSource, Refused, Plain, Newsletter, "the first paragraph and an offer to subscribe"},
		{Outage, InSource, Unchecked, Plain, PlainPage, "503, however often one asks"},
		{Loop, InSource, Unchecked, Plain, Relocated, "a page that leads to itself"},
		{Forbidden, InSource, Unchecked, Plain, PlainPage, "robots.txt refuses it"},
		{Cut, InSource, Flagged, Plain, PlainPage, "the connection ends before the words cited"},
		{Comment, InSource, Flagged, Plain, Commented, "a reader's words below the article"},
		{Navigation, InSource, Flagged, Plain, Commented, "the menu's words"},
		{OtherWork, InSource, Refused, Plain, SoundWork, "a DOI that belongs to another paper"},
		{Retracted, InSource, Flagged, Plain, SoundWork, "the registry of DOIs links a retraction"},
		{Copy, InSource, Flagged, Plain, SameTopic, "another host's text under another title and menu"},
	}
}

// Faults of a source.
const (
	Dead        Fault = "dead page"
	NeverWas    Fault = "invented page"
	Soft404     Fault = "soft 404"
	Entrance    Fault = "sent to the entrance"
	Block       Fault = "block page"
	Block200    Fault = "block page with status 200"
	PaywallStub Fault = "paywall stub"
	Outage      Fault = "outage"
	Loop        Fault = "loop of redirects"
	Forbidden   Fault = "forbidden to robots"
	Cut         Fault = "truncated"
	Comment     Fault = "quotation from a comment"
	Navigation  Fault = "quotation from navigation"
	OtherWork   Fault = "DOI of another paper"
	Retracted   Fault = "retracted paper"
	Copy        Fault = "syndicated copy"
)

// Harmless manners: a quotation from such a source stands there.
const (
	PlainPage   Manner = "page"
	Marked      Manner = "page with marks inside sentences"
	Entities    Manner = "page with entities"
	TextFile    Manner = "plain text"
	PDF         Manner = "PDF"
	Relocated   Manner = "moved for good"
	Legacy      Manner = "legacy charset"
	Misdeclared Manner = "charset declared wrongly"
	Orders      Manner = "page that gives orders"
	Packed      Manner = "compressed"
	Long        Manner = "long page"
	AboutErrors Manner = "article about missing pages"
	AboutBlocks Manner = "article about captchas"
	Newsletter  Manner = "article that offers a newsletter"
	Commented   Manner = "article with comments"
	SoundWork   Manner = "paper with a DOI"
	SameTopic   Manner = "article on the same subject"
	Archived    Manner = "dead with an archived copy"
)

// Harmless lists the manners in which honest sources are served.
func Harmless() []Manner {
	return []Manner{
		PlainPage, Marked, Entities, TextFile, PDF, Relocated, Legacy, Misdeclared,
		Orders, Packed, Long, AboutErrors, AboutBlocks, Newsletter, Commented, SoundWork, Archived,
	}
}

// Writing is how an honest seat writes a quotation down.
type Writing string

// Harmless ways of writing a quotation; every one has to be located.
const (
	Verbatim Writing = "verbatim"
	Curly    Writing = "curly quotation marks"
	NoBreak  Writing = "no-break blanks"
	Broken   Writing = "broken lines"
	Soft     Writing = "soft hyphens"
	Ellipsis Writing = "marked ellipsis"
	Typo     Writing = "single typo"
)

// Writings lists them.
func Writings() []Writing { return []Writing{Verbatim, Curly, NoBreak, Broken, Soft, Ellipsis, Typo} }
