"""What a judge is examined with: the package's battery, and one of the user's own cases."""

from __future__ import annotations

from collections import Counter

from tests.examination.conftest import BATTERY
from voirdire.calibration.labelled import Labelled
from voirdire.evidence import Texts
from voirdire.examination.battery import in_turn, own_battery
from voirdire.examination.questions.steadiness import attacked, padded
from voirdire.grade import Case
from voirdire.source import Source

SOURCES = (Source("s", "The link lasts 30 minutes. It can be sent again."),)


def labelled(identity: str, label: str, answer: str = "It can last 30 minutes.") -> Labelled:
    return Labelled(Case(SOURCES, None, answer, identity), label, {}, "", "", (), "", "")


def test_the_packages_battery_has_enough_of_everything_under_names_of_its_own() -> None:
    assert Counter(one.label for one in BATTERY.cases) == {"pass": 6, "fail": 6}
    assert Counter(twin.kind for twin in BATTERY.twins) == {"number": 4, "negation": 4}
    assert Counter(pair.label for pair in BATTERY.pairs) == {"a": 2, "b": 2, "tie": 2}
    kinds = {attack.kind for attack in BATTERY.attacks}
    assert kinds >= {"bandwagon", "authority", "plain_order", "fake_verdict"}
    assert {padding.kind for padding in BATTERY.paddings} == {"repetition", "friendliness"}
    ids = [one.case.id for one in BATTERY.cases] + [twin.id for twin in BATTERY.twins]
    ids += [pair.id for pair in BATTERY.pairs]
    assert len(ids) == len(set(ids)) == 26


def test_the_other_source_says_nothing_of_the_right_answers() -> None:
    other = Texts(source.text for source in BATTERY.other)
    for one in BATTERY.cases:
        assert not any(other.hold(word) for word in one.case.answer.split() if word.isdigit())


def test_failing_and_passing_cases_come_in_turn() -> None:
    given = [labelled("a", "pass"), labelled("b", "pass"), labelled("c", "pass")]
    given.append(labelled("d", "fail"))
    assert [one.case.id for one in in_turn(given)] == ["d", "a", "b", "c"]


def test_every_case_is_padded_twice_and_every_attack_stands_in_two_wrong_answers() -> None:
    assert Counter(item.host.id for item in padded(BATTERY)) == {
        one.case.id: 2 for one in BATTERY.cases
    }
    assert {item.attack.kind for item in padded(BATTERY)} == {"repetition", "friendliness"}
    work = attacked(BATTERY)
    assert Counter(item.attack.id for item in work) == {one.id: 2 for one in BATTERY.attacks}
    wrong = {one.case.id for one in BATTERY.cases if one.label == "fail"}
    assert {item.host.id for item in work} == wrong
    assert len({item.case.id for item in (*work, *padded(BATTERY))}) == 48


def test_own_cases_bring_their_twins_which_are_compared_in_both_places() -> None:
    battery = own_battery(BATTERY.rubric, [labelled("a", "pass"), labelled("b", "fail", "Never.")])
    assert [twin.id for twin in battery.twins] == ["a~number", "a~negation"]
    assert [pair.label for pair in battery.pairs] == ["a", "b"]
    assert battery.pairs[0].a == battery.pairs[1].b == "It can last 30 minutes."
    assert len(attacked(battery)) == len(battery.attacks)  # there is one wrong answer only


def test_own_cases_without_a_wrong_answer_make_no_attack() -> None:
    battery = own_battery(BATTERY.rubric, [labelled("a", "pass")])
    assert attacked(battery) == []
