"""Live answers: a reproducible sample of them judged, and the share that fails followed."""
