"""Several models asked the same questions, and every answer judged by one judge."""
