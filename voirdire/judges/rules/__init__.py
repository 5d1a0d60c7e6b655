"""The embedded judge: deterministic grounding of numbers, dates, names and the like."""

from voirdire.judges.rules.judge import RulesJudge

__all__ = ["RulesJudge"]
