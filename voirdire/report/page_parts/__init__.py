"""What the report's page is made of."""
