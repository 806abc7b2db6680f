package sarif

// The parts of the format that are written, by their names in chapter 3 of
// SARIF 2.1.0.

type sarifLog struct {
	Schema  string `json:"$schema"`
	Version string `json:"version"`
	Runs    []run  `json:"runs"`
}

type run struct {
	Tool                tools              `json:"tool"`
	Invocations         []invocation       `json:"invocations"`
	VersionControl      []version          `json:"versionControlProvenance,omitempty"`
	OriginalURIBaseIDs  map[string]uriBase `json:"originalUriBaseIds"`
	Artifacts           []artifact         `json:"artifacts"`
	Results             []result           `json:"results"`
	ColumnKind          string             `json:"columnKind"`
	DefaultFileEncoding string             `json:"defaultEncoding"`
	Properties          map[string]any     `json:"properties"`
}

type tools struct {
	Driver driver `json:"driver"`
}

type driver struct {
	Name           string `json:"name"`
	Version        string `json:"version,omitempty"`
	InformationURI string `json:"informationUri,omitempty"`
	Rules          []rule `json:"rules"`
}

type rule struct {
	ID            string         `json:"id"`
	Short         message        `json:"shortDescription"`
	Full          message        `json:"fullDescription"`
	Help          message        `json:"help"`
	Configuration configuration  `json:"defaultConfiguration"`
	Properties    map[string]any `json:"properties"`
}

type configuration struct {
	Level string `json:"level"`
}

type message struct {
	Text string `json:"text"`
}

type invocation struct {
	Successful  bool   `json:"executionSuccessful"`
	Description string `json:"exitCodeDescription,omitempty"`
}

type version struct {
	RepositoryURI string           `json:"repositoryUri"`
	RevisionID    string           `json:"revisionId,omitempty"`
	MappedTo      artifactLocation `json:"mappedTo"`
}

type uriBase struct {
	Description message `json:"description"`
}

type artifact struct {
	Location artifactLocation `json:"location"`
	Roles    []string         `json:"roles"`
}

// artifactLocation is the format's artifactLocation.
type artifactLocation struct {
	URI       string `json:"uri,omitempty"`
	URIBaseID string `json:"uriBaseId,omitempty"`
	Index     *int   `json:"index,omitempty"`
}

type result struct {
	RuleID       string            `json:"ruleId"`
	RuleIndex    int               `json:"ruleIndex"`
	Kind         string            `json:"kind"`
	Level        string            `json:"level"`
	Message      message           `json:"message"`
	Locations    []location        `json:"locations"`
	Fingerprints map[string]string `json:"partialFingerprints"`
	Suppressions []suppression     `json:"suppressions,omitempty"`
	Rank         float64           `json:"rank"`
	Properties   map[string]any    `json:"properties"`
}

type location struct {
	Physical physical `json:"physicalLocation"`
}

type physical struct {
	Artifact artifactLocation `json:"artifactLocation"`
	Region   region           `json:"region"`
}

type region struct {
	StartLine int      `json:"startLine"`
	EndLine   int      `json:"endLine"`
	Snippet   *snippet `json:"snippet,omitempty"`
}

type snippet struct {
	Text string `json:"text"`
}

type suppression struct {
	Kind          string `json:"kind"`
	Status        string `json:"status"`
	Justification string `json:"justification,omitempty"`
}
