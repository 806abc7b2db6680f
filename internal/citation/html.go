package citation

func htmlBlocks(text string) []block { return nil }
