"""One module per command: words in, package called, words out."""
