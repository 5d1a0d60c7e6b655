"""The texts that both parsers read: wherever they lie, as a stream of blocks of JSON lines."""
