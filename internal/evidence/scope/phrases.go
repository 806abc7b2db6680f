package scope

import (
	"slices"
	"strings"
	"unicode"
)

// The tables below hold words and phrases in lower case, without punctuation.
// One that ends in * also stands for words that begin so. Chinese and Japanese
// are written without blanks, so their phrases match anywhere.

// complying are the words of a question whether something follows a rule.
func complying() []string {
	return []string{
		"best practice", "best practices", "are we following", "do we follow", "are we compliant", "compliant with",
		"compliance", "comply", "complies", "complying", "conform to", "conforms to", "conformance", "conformity",
		"adhere to", "adheres to", "adherence", "violate", "violates", "violating", "audit",
		"bewährte praktiken", "bewährte verfahren", "bewährten praktiken", "bewährten verfahren", "beste praktiken", "halten wir uns an", "halten wir die",
		"konform", "konformität", "einhaltung", "vorschriftsmäßig", "regelkonform", "entspricht unser*", "entsprechen wir",
		"bonnes pratiques", "meilleures pratiques", "conforme", "conformes", "conformité", "respectons nous", "suivons nous",
		"buenas prácticas", "mejores prácticas", "cumplimos", "cumple con", "cumplen con", "cumplimiento", "conformidad", "seguimos las",
		"лучшие практики", "лучших практик", "лучшим практикам", "лучшими практиками", "соответствуем", "соответствует ли", "соответствие требованиям", "соблюдаем", "соблюдает ли", "соблюдение",
		"最佳实践", "最佳實踐", "合规", "合規", "是否符合", "是否遵循", "是否遵守",
		"ベストプラクティス", "準拠", "遵守", "コンプライアンス",
	}
}

// deciding are the words of a question which of several to take.
func deciding() []string {
	return []string{
		"vs", "versus", "should we", "should i", "should our", "should one", "shall we", "which is better", "which one", "which should", "better than",
		"choose between", "choosing between", "decide between", "deciding between", "compare", "comparison of", "comparison between", "difference between", "differences between", "worth it",
		"sollen wir", "sollten wir", "soll ich", "sollte ich", "sollte man", "was ist besser", "welches ist besser", "welche ist besser", "welcher ist besser", "vergleiche", "vergleich von", "vergleich zwischen", "lohnt sich",
		"devrions nous", "devons nous", "faut il", "dois je", "devrais je", "vaut il mieux", "vaut mieux", "lequel est", "laquelle est", "comparer", "comparaison",
		"deberíamos", "debemos usar", "debería usar", "debo usar", "debería", "conviene", "es mejor", "cuál es mejor", "comparar", "comparación",
		"стоит ли", "следует ли", "что лучше", "какой лучше", "какая лучше", "нужно ли нам", "сравни", "сравнить", "сравнение",
		"还是", "還是", "应该使用", "應該使用", "是否应该", "是否應該", "应不应该", "要不要", "哪个更好", "哪個更好", "哪个好", "比较", "比較", "对比", "對比",
		"べきか", "べきです", "べきでしょう", "どちら", "それとも", "どっち",
	}
}

// orWords are the words that stand between two options.
func orWords() []string {
	return []string{"or", "oder", "ou", "o", "или", "либо", "或者", "または", "もしくは"}
}

// openQuestionPhrases are the words a question begins with that asks neither for a verdict
// nor for a choice.
func openQuestionPhrases() []string {
	return []string{
		"how", "what", "why", "when", "where", "who", "whose", "explain", "describe", "options for", "overview of", "tell me",
		"wie", "was", "warum", "weshalb", "wann", "wo", "wer", "erkläre", "beschreibe",
		"comment", "pourquoi", "quand", "où", "qui", "que", "quels", "quelles", "explique", "expliquer",
		"cómo", "por qué", "qué", "cuándo", "dónde", "quién", "cuáles", "explica",
		"как", "что", "почему", "зачем", "когда", "где", "кто", "объясни", "какие",
		"如何", "怎么", "怎麼", "为什么", "為什麼", "什么", "什麼", "解释", "どのように", "なぜ", "何", "どうして",
	}
}

// auditing are the words of a wish to hold one's own work against a rule.
func auditing() []string {
	return []string{
		"audit", "are we following", "do we follow", "are we compliant", "compliant with", "comply with", "complies with", "conforms to", "adheres to",
		"halten wir uns an", "halten wir die", "entspricht unser*", "entsprechen wir", "respectons nous", "suivons nous", "cumplimos", "cumple con",
		"соответствуем", "соответствует ли", "соблюдаем", "是否符合", "是否遵循", "是否遵守", "審査", "審計", "审计", "監査",
	}
}

// codePhrases are the words of a question about the code at hand.
func codePhrases() []string {
	return []string{
		"in this repo", "in this repository", "in our repo", "in our repository", "this codebase", "our codebase", "the codebase", "in our code", "in the code", "in this code",
		"this project", "our source code", "in this module", "in this package", "call sites", "callers of", "call graph", "which function", "which functions", "which file", "which files", "defined in", "where is the function",
		"in diesem repository", "unsere codebasis", "unserer codebasis", "im code", "in unserem code", "dans ce dépôt", "dans notre code", "dans le code", "notre base de code",
		"en este repositorio", "en nuestro código", "en el código", "nuestra base de código", "в этом репозитории", "в нашем коде", "в коде", "нашей кодовой базе",
		"代码库", "程式碼庫", "这个仓库", "代码中", "我们的代码", "コードベース", "このリポジトリ", "コードの中",
	}
}

// webPhrases are the words of a wish that only sources elsewhere can fulfil.
func webPhrases() []string {
	return []string{
		"best practice", "best practices", "official", "documentation", "docs", "literature", "paper", "papers", "studies", "industry", "state of the art", "alternatives", "options for",
		"community", "web", "internet", "research", "standard", "standards", "vendor", "vendors", "market", "other projects", "other companies", "recommended", "upstream",
		"offiziell*", "dokumentation", "literatur", "branche", "stand der technik", "alternativen", "officiel*", "documentation officielle", "littérature", "état de l art",
		"oficial", "oficiales", "documentación", "literatura", "estado del arte", "официальн*", "документаци*", "литератур*", "альтернатив*",
		"官方", "文档", "文檔", "文献", "业界", "業界", "公式", "ドキュメント", "論文",
	}
}

// rankings are the words that ask for a list in order.
func rankings() []string {
	return []string{
		"top 3", "top 5", "top 10", "top 20", "top 50", "top 100", "top three", "top five", "top ten", "rank", "ranks", "ranking", "rankings", "ranked", "leaderboard", "best of", "list the best", "which are the best", "what are the best", "what is the best",
		"rangliste", "die besten", "bestenliste", "classement", "les meilleurs", "les meilleures", "clasificación", "los mejores", "las mejores", "рейтинг", "лучшие", "топ",
		"排名", "排行", "前十", "ランキング", "トップ",
	}
}

// broad are the words that open a further dimension.
func broad() []string {
	return []string{
		"how", "why", "explain", "history", "impact", "impacts", "trade offs", "tradeoffs", "trade off", "risks", "pitfalls", "migrate", "migration", "strategy", "implications", "consequences", "architecture", "alternatives", "future",
		"wie", "warum", "geschichte", "auswirkungen", "risiken", "strategie", "comment", "pourquoi", "histoire", "risques", "stratégie",
		"cómo", "por qué", "historia", "riesgos", "estrategia", "как", "почему", "история", "риски", "стратегия",
		"如何", "怎么", "为什么", "風險", "风险", "どのように", "なぜ", "リスク",
	}
}

// foldWords is a text in lower case whose words stand between single blanks.
func foldWords(s string) string {
	words := strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !isWordRune(r) })
	return " " + strings.Join(words, " ") + " "
}

// isWordRune reports whether a rune is part of a word: a letter with its marks, or
// a digit.
func isWordRune(r rune) bool { return unicode.In(r, unicode.L, unicode.M, unicode.N) }

// hasAny reports whether a folded text holds one of the phrases.
func hasAny(folded string, phrases []string) bool {
	return slices.ContainsFunc(phrases, func(p string) bool { return has(folded, p) })
}

func has(folded, phrase string) bool {
	if isUnspacedScript(phrase) {
		return strings.Contains(folded, phrase)
	}
	if stem, ok := strings.CutSuffix(phrase, "*"); ok {
		return strings.Contains(folded, " "+stem)
	}
	return strings.Contains(folded, " "+phrase+" ")
}

// beginsWithAny reports whether a folded text begins with one of the phrases.
func beginsWithAny(folded string, phrases []string) bool {
	return slices.ContainsFunc(phrases, func(p string) bool {
		return strings.HasPrefix(folded, " "+p+" ") || isUnspacedScript(p) && strings.HasPrefix(folded, " "+p)
	})
}

// isUnspacedScript reports whether a phrase is of a script without blanks.
func isUnspacedScript(phrase string) bool {
	for _, r := range phrase {
		return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana)
	}
	return false
}
