"""The parser audit: what the eval's parser and production's read from the same texts."""
