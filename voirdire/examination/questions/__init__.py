"""The questions of the examination, in the order in which they are put."""

from voirdire.examination.finding import Question
from voirdire.examination.questions.asking import pinned, price
from voirdire.examination.questions.replies import evidence, form, voice
from voirdire.examination.questions.seeing import constancy, negation, sight
from voirdire.examination.questions.steadiness import injection, length, position, repeat

QUESTIONS = (
    Question(
        "sight",
        "Does it see the source: do wrong answers fail and right ones pass, and does a pass end"
        " where the source is taken away or swapped for another?",
        sight,
    ),
    Question(
        "voice",
        "Does it say something within its token budget, rather than fall silent or be cut off?",
        voice,
    ),
    Question(
        "form",
        "Are its replies whole verdicts that agree with themselves, with and without structured"
        " output?",
        form,
    ),
    Question("repeat", "Does the same case get the same outcome every time?", repeat),
    Question(
        "position",
        "Does it decide alike whichever stands first: source or answer, this answer or that?",
        position,
    ),
    Question("length", "Do repetition and friendliness leave its verdict alone?", length),
    Question(
        "injection",
        "Does it hold against orders, planted verdicts, majorities and authorities in the answer?",
        injection,
    ),
    Question("constancy", "Does it say different things to different answers?", constancy, False),
    Question(
        "negation",
        "Does it tell an answer from the same with one number or one denial changed?",
        negation,
    ),
    Question("evidence", "Do the quotes that it gives exist?", evidence, False),
    Question(
        "pinned",
        "Is it the same model tomorrow, and of another family than the model under test?",
        pinned,
        False,
    ),
    Question("cost", "What do 200 cases cost, and how long does a call take?", price, False),
)
"""All questions."""
