package quote

import (
	"slices"
	"strings"
)

// irregularVerbs are English verbs whose forms are not made by endings, one verb a line.
const irregularVerbs = `be am is are was were been being
have has had having
do does did done doing
go goes went gone
say says said
make makes made
get gets got gotten
see sees saw seen
take takes took taken
come comes came
know knows knew known
give gives gave given
find finds found
think thinks thought
tell tells told
become becomes became
leave leaves left
feel feels felt
bring brings brought
begin begins began begun
keep keeps kept
hold holds held
write writes wrote written
stand stands stood
hear hears heard
mean means meant
meet meets met
pay pays paid
sit sits sat
speak speaks spoke spoken
lie lies lay lain
lead leads led
grow grows grew grown
lose loses lost
fall falls fell fallen
send sends sent
build builds built
understand understands understood
draw draws drew drawn
break breaks broke broken
spend spends spent
rise rises rose risen
drive drives drove driven
buy buys bought
wear wears wore worn
choose chooses chose chosen
seek seeks sought
throw throws threw thrown
catch catches caught
deal deals dealt
win wins won
sell sells sold
fight fights fought
teach teaches taught
eat eats ate eaten
sing sings sang sung
strike strikes struck
hang hangs hung
shake shakes shook shaken
ride rides rode ridden
feed feeds fed
shoot shoots shot
drink drinks drank drunk
shine shines shone
bear bears bore borne
sleep sleeps slept
sink sinks sank sunk
fly flies flew flown
steal steals stole stolen
swim swims swam swum
run runs ran
show shows showed shown`

// isVerbForm reports whether two words in small letters are forms of one English verb, of
// which a quoter puts the one for the other so that it fits the sentence around.
func isVerbForm(ours, theirs string) bool {
	for line := range strings.Lines(irregularVerbs) {
		if forms := strings.Fields(line); slices.Contains(forms, ours) && slices.Contains(forms, theirs) {
			return true
		}
	}
	return slices.ContainsFunc(verbRoots(ours), func(root string) bool { return slices.Contains(verbRoots(theirs), root) })
}

// verbRoots are what a regular verb may be without the ending of its person or tense.
func verbRoots(word string) []string {
	const least = 3 // letters
	list := []string{word}
	for _, ending := range []string{"s", "es", "ed", "d"} {
		root, ok := strings.CutSuffix(word, ending)
		if !ok || len(root) < least {
			continue
		}
		list = append(list, root)
		if bare, ok := strings.CutSuffix(root, "i"); ok && ending != "s" && ending != "d" {
			list = append(list, bare+"y")
		}
		if n := len(root); ending == "ed" && n > least && root[n-1] == root[n-2] {
			list = append(list, root[:n-1])
		}
	}
	return list
}
