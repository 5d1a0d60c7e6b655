"""What each model-graded assertion's judge cannot see, and the patch that shows it."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from voirdire.errors import ConfigError
from voirdire.initial.door import SCRIPT, Door, find_door, is_door, text_grader
from voirdire.initial.edits import Provider, provider_span, with_providers
from voirdire.initial.marked import Node
from voirdire.initial.modelgraded import SEEN
from voirdire.initial.patch import Change
from voirdire.initial.project import Found, Project
from voirdire.initial.truth import Truth, Truths, find_truth, question_var, texts_of, words_of
from voirdire.initial.wording import TAG, TEMPLATE, needs_source, spoken_of, word_rubric

_FOLDER = "rubrics"
# Of a grader's settings those that the judge's spec takes over, or that it has by itself.
_KEPT = frozenset(("apiBaseUrl", "apiHost", "apiKeyEnvar", "temperature"))


@dataclass
class Finding:
    """A model-graded assertion, and what is to become of it.

    Attributes:
        found: the assertion.
        words: its rubric, whole; empty where it has none in words.
        status: ``ground`` (the patch gives it the door), ``grounded`` (it has it), ``no-source``
            (its judge is blind, and no source of truth is known), or ``left``.
        cannot_see: what its judge cannot see, a sentence each.
        why: why it is left, or has no source; empty otherwise.
        truths: where its source of truth may be.
        rubric: the rubric's file, from the config's folder on; empty where its own words do.
        notes: what a person should know of the change.
    """

    found: Found
    words: str
    status: str
    cannot_see: list[str]
    why: str
    truths: Truths
    rubric: str
    notes: list[str]


@dataclass
class Plan:
    """Every finding, and the files that the patch writes."""

    findings: list[Finding]
    changes: list[Change]


def plan(project: Project, judge: str | None, source: str | None) -> Plan:
    """Plan how a project is grounded.

    Args:
        project: the project.
        judge: the spec of the judge; ``None`` takes the model that grades now, else ``rules``.
        source: a file that is the source of truth for all; ``None`` finds one.

    Raises:
        ConfigError: a file cannot be changed without changing more than was meant.
    """
    texts = texts_of(project)
    findings = [_look(project, found, texts, source) for found in project.found]
    _keep_anchors(findings)
    grounded = [finding for finding in findings if finding.status == "ground"]
    if not grounded:
        return Plan(findings, [])
    door = find_door(project.folder)
    rubrics = _Rubrics(project.folder)
    wanted: dict[Path, list[tuple[Node, Provider]]] = {}
    for finding in grounded:
        provider = _provider(project, finding, door, judge, rubrics)
        wanted.setdefault(finding.found.file.path, []).append((finding.found.node, provider))
    changes = list(rubrics.changes.values())
    if door.script is not None:
        changes.append(Change(door.script, None, SCRIPT))
    files = {finding.found.file.path: finding.found.file for finding in grounded}
    for path, file in files.items():
        new = with_providers(file, wanted[path])
        changes.append(Change(path, file.bom + file.text, file.bom + new))
    return Plan(findings, changes)


def _look(project: Project, found: Found, texts: Sequence[Path], source: str | None) -> Finding:
    def finding(status: str, cannot_see: list[str], why: str = "") -> Finding:
        return Finding(found, words, status, cannot_see, why, truths, "", [])

    words, truths = "", Truths(None)
    value = found.node.get("value")
    if value is not None and value.kind == "scalar":
        words = _words(value.text, project.folder)
    own = found.node.get("provider")
    if found.type != "llm-rubric":
        blind = SEEN[found.type].blind
        return finding("left", [blind] if blind else [], f"sees {SEEN[found.type].shown}")
    graders = [own] if own is not None else [use.grader for use in found.uses]
    if graders and all(is_door(grader, project.folder) for grader in graders):
        return finding("grounded", [])
    if not words:
        return finding("left", ["the source"], "its rubric is not text that can be read here")
    if found.inverted:
        return finding("left", ["the source"], "it is inverted: ask for what must be there instead")
    truths = find_truth(texts, words, found.uses, source)
    var = truths.chosen.var if truths.chosen else ""
    filled_in = var != "" and var in " ".join(TAG.findall(words))
    if not filled_in and not needs_source(words, words_of(truths), given=source is not None):
        return finding("left", [], "it asks nothing that a source would settle")
    cannot_see = _cannot_see(found, words, truths)
    if truths.chosen is None:
        return finding("no-source", cannot_see, f"{truths.why}; give --source FILE")
    return finding("ground", cannot_see)


def _words(text: str, folder: Path) -> str:
    """A rubric's words; those of a text file where it names one."""
    if not text.startswith("file://"):
        return text.strip()
    path = folder / text.removeprefix("file://")
    if path.suffix not in (".txt", ".md"):
        return ""
    try:
        return path.read_text(encoding="utf-8-sig").strip()
    except (OSError, UnicodeDecodeError):
        return ""


def _cannot_see(found: Found, words: str, truths: Truths) -> list[str]:
    own = found.node.get("rubricPrompt")
    prompts = [own.text] if own is not None else [use.prompt for use in found.uses]
    shown = " ".join(tag for text in (words, *prompts) for tag in TAG.findall(text))
    var = truths.chosen.var if truths.chosen else ""
    if var and var in shown:
        return []
    result = []
    spoken = spoken_of(words)
    if spoken:
        result.append(f"it speaks of {_listed(spoken)}, of which its judge is shown nothing")
    if not TAG.search(words):
        result.append(
            "no {{var}} in the rubric: its judge is shown the rubric and the answer alone"
        )
    if var:
        result.append(f"the var {var}, which holds the source, is not in its prompt")
    return result or [f"the source ({truths.chosen or 'none is known'})"]


def _listed(words: Sequence[str]) -> str:
    return " and ".join(f"“{word}”" for word in words[:3])


def _keep_anchors(findings: Sequence[Finding]) -> None:
    """Leave alone what would take an anchor away that is used elsewhere."""
    while True:
        chosen = [finding for finding in findings if finding.status == "ground"]
        for finding in chosen:
            entry = finding.found.node.own("provider")
            names = _anchors(entry.node) if entry is not None and not entry.alias else set()
            if not names:
                continue
            file = finding.found.file
            spans = [
                provider_span(other.found.node) for other in chosen if other.found.file is file
            ]
            used = [
                name
                for at, name in file.marked.aliases
                if name in names and not any(span and span[0] <= at < span[1] for span in spans)
            ]
            if used:
                finding.status = "left"
                finding.why = (
                    f"its provider is the anchor &{used[0]}, which others use: move the anchor "
                    "to one of them first"
                )
                break
        else:
            return


def _anchors(node: Node) -> set[str]:
    found = {node.anchor} if node.anchor else set()
    for entry in node.entries:
        found |= set() if entry.alias else _anchors(entry.node)
    return found


class _Rubrics:
    """The rubrics' files, one for the same words."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._names: dict[str, str] = {}
        self.changes: dict[str, Change] = {}

    def name(self, key: str, name: str, text: str) -> str:
        """The file's name for these words, from the config's folder on."""
        if key not in self._names:
            count, fresh = 1, f"{_FOLDER}/{name}.yaml"
            while fresh in self.changes or os.path.lexists(self._folder / fresh):
                count += 1
                fresh = f"{_FOLDER}/{name}_{count}.yaml"
            self._names[key] = fresh
            self.changes[fresh] = Change(self._folder / fresh, None, text)
        return self._names[key]


def _provider(
    project: Project, finding: Finding, door: Door, judge: str | None, rubrics: _Rubrics
) -> dict[str, Any]:
    found, truth = finding.found, finding.truths.chosen or Truth()
    config: dict[str, Any] = {}
    names = {"source": truth.var} if truth.var not in ("", "source") else {}
    asked = question_var(found.uses, truth)
    if asked not in (None, "question"):
        names["question"] = str(asked)
    known = {name: "the source" for name in (truth.var,) if name}
    known |= {asked: "the question"} if asked else {}
    tags = TAG.findall(finding.words)
    if all((name := TEMPLATE.fullmatch(tag)) and name[1] in known for tag in tags):
        where = f"{_shown(found.file.path, project.folder)}:{found.node.line}"
        metric = found.node.get("metric")
        worded = word_rubric(finding.words, where, metric.text if metric is not None else "", known)
        finding.rubric = rubrics.name(finding.words + repr(known), worded.name, worded.text)
        config["rubric"] = finding.rubric
        finding.notes += [f"left out of the rubric: {text}" for text in worded.left_out]
    else:
        finding.notes.append(
            "its rubric is filled in for each test, so its own words are the one criterion"
        )
    if truth.file:
        config["source"] = truth.file
    if names:
        config["vars"] = names
    own = found.node.get("provider")
    grader = text_grader(own or next((use.grader for use in found.uses), None))
    config["judge"] = judge or _judge(grader)
    unread = [] if judge else sorted({*_settings(grader)} - _KEPT)
    if unread:
        finding.notes.append(f"left out of the judge's settings: {', '.join(unread)}")
    if config["judge"] == "rules":
        finding.notes.append("the judge by rule leaves undecided what no rule checks: --judge SPEC")
    # Of a script named in a file of tests promptfoo would take the text, but for a function's name.
    elsewhere = found.file is not project.config
    return {"id": f"{door.id}:call_api" if elsewhere else door.id, "config": config}


def _shown(path: Path, folder: Path) -> str:
    return Path(os.path.relpath(path, folder)).as_posix()


def _judge(grader: Node | None) -> str | Mapping[str, Any]:
    """The model that grades now as a judge's spec; ``rules`` where voirdire cannot ask it."""
    from voirdire.judges.spec import make_judge

    identity = grader if grader is None or grader.kind == "scalar" else grader.get("id")
    text = identity.text if identity is not None and identity.kind == "scalar" else ""
    scheme, _, rest = text.partition(":")
    api, colon, model = rest.partition(":")
    if colon and api in ("chat", "responses", "messages"):
        rest = model
    if scheme not in ("openai", "anthropic", "openrouter", "ollama") or not rest:
        return "rules"
    given = _settings(grader)
    # What is judged goes to the server that it went to, and to no other.
    address = given.get("apiBaseUrl") or (
        f"https://{given['apiHost']}/v1" if "apiHost" in given else ""
    )
    spec = f"{scheme}:{rest}@{address}" if address else f"{scheme}:{rest}"
    if TAG.search(spec):  # filled in from the environment, which a spec is not
        return "rules"
    key = {"api_key_env": given["apiKeyEnvar"]} if "apiKeyEnvar" in given else {}
    for settings in (key, {**key, "allow_floating": True}):
        try:
            make_judge(spec, settings)
        except ConfigError:
            continue
        return {"spec": spec, **settings} if settings else spec
    return "rules"


def _settings(grader: Node | None) -> dict[str, str]:
    """The texts and numbers of a provider's config."""
    config = grader.get("config") if grader is not None and grader.kind == "mapping" else None
    names = config.names() if config is not None and config.kind == "mapping" else []
    values = {name: config.get(name) for name in names} if config is not None else {}
    return {name: node.text for name, node in values.items() if node and node.kind == "scalar"}
