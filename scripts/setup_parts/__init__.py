"""What scripts/setup.py is made of; standard library only."""
