"""The parsers that are audited: the user's own, in any language, and the built-in ones."""
