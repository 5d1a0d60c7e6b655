"use strict";
// Draws the rows of the report. Texts of others become text nodes only: nothing here makes HTML
// of a text, and the policy of the page would not let it.
(() => {
  const PAGE = 100; // rows drawn at once
  const SHOWN = 25000; // characters of a text before "show all"
  const READ = 200000; // characters that quotes are looked for in
  const QUOTES = 50; // quotes that are marked
  const MARKS = 200; // places marked for one quote
  const DECIDED = ["pass", "fail"];
  const OUTCOMES = ["judge_error", "fail", "undecided", "pass"];
  const FIELDS = ["run", "model", "metric", "outcome", "kind"];

  const by = (id) => document.getElementById(id);
  const block = JSON.parse(by("data").textContent);
  const texts = block.texts;
  const rows = block.rows.map((values) => {
    const row = {};
    block.columns.forEach((name, at) => { row[name] = values[at]; });
    return row;
  });
  by("data").remove();

  const text = (row, field) => (row[field] === null ? "" : texts[row[field]]);
  const differs = (row) =>
    DECIDED.includes(text(row, "outcome")) && DECIDED.includes(text(row, "label")) && row.label !== row.outcome;
  const rank = (row) => (differs(row) ? -1 : Math.max(0, OUTCOMES.indexOf(text(row, "outcome"))));
  // What is worth reading stands first: disagreements, the surest of them on top.
  rows.forEach((row) => { row.rank = rank(row); });
  rows.sort((a, b) => a.rank - b.rank || (a.rank < 0 ? (b.confidence ?? 0) - (a.confidence ?? 0) : 0));

  let found = rows;
  let at = 0; // the open row among those found

  // Texts.

  const spelled = (char) => "\\u" + char.codePointAt(0).toString(16).padStart(4, "0");
  // Whatever could hide or turn round stands there as \uXXXX.
  const visible = (value) =>
    value.replace(/\r\n/g, "\n").replace(/(?![\n\t])[\p{Cc}\p{Cf}\p{Cs}]/gu, spelled);

  function make(tag, name, ...inside) {
    const node = document.createElement(tag);
    if (name) node.className = name;
    node.append(...inside);
    return node;
  }

  const brief = (value, most) => {
    const line = visible(value.slice(0, 4 * most).replace(/\s+/g, " ").trim());
    return line.length > most ? line.slice(0, most - 1) + "…" : line;
  };

  // Quotes.

  const LEFT_OUT = /[\p{M}"'`´*_‘’‚‛“”„‟«»‹›′″\u00ad\u200b-\u200d\u2060\ufeff]/u;
  const DASH = /[‐‑‒–—―−﹘－]/;
  const LETTER = /[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Nd}]/u;

  // A text with case, forms, dashes, quotation marks and white space evened out, and where each of
  // its characters began and ended.
  function fold(value) {
    const chars = [];
    const starts = [];
    const ends = [];
    for (let from = 0; from < value.length;) {
      const code = value.codePointAt(from);
      const char = String.fromCodePoint(code);
      const plain = code < 128 ? char.toLowerCase() : char.normalize("NFKD").toLowerCase();
      for (const one of plain) {
        if (LEFT_OUT.test(one)) continue;
        const even = /\s/.test(one) ? " " : DASH.test(one) ? "-" : one;
        if (even === " " && chars[chars.length - 1] === " ") continue;
        // As many entries as code units, for positions in the joined text count those.
        for (let unit = 0; unit < even.length; unit++) {
          chars.push(even[unit]);
          starts.push(from);
          ends.push(from + char.length);
        }
      }
      from += char.length;
    }
    return { text: chars.join(""), starts, ends };
  }

  const EDGES = /^[ .,:;!?]+|[ .,:;!?]+$/g;

  function* occurrences(wanted, folded, from = 0) {
    for (let start = folded.indexOf(wanted, from); start >= 0; start = folded.indexOf(wanted, start + wanted.length)) {
      const end = start + wanted.length;
      const cut = (place) =>
        place > 0 && place < folded.length && LETTER.test(folded[place - 1]) && LETTER.test(folded[place]);
      if (!cut(start) && !cut(end)) yield [start, end];
    }
  }

  // Where a quote stands: as a whole, or else its parts between ellipses, one behind the other.
  function placed(quote, folded) {
    const wanted = fold(quote.slice(0, 2000)).text.replace(EDGES, "");
    if (!/[\p{L}\p{N}]/u.test(wanted)) return [];
    const whole = [];
    for (const place of occurrences(wanted, folded)) {
      whole.push(place);
      if (whole.length === MARKS) break;
    }
    const parts = wanted.split(/[([]?\.{3,}[)\]]?/).map((part) => part.replace(EDGES, "")).filter(Boolean);
    if (whole.length || parts.length < 2) return whole;
    const places = [];
    let from = 0;
    for (const part of parts) {
      const next = occurrences(part, folded, from).next();
      if (next.done) return [];
      places.push(next.value);
      from = next.value[1];
    }
    return places;
  }

  // The places of all quotes in a text, in its own characters, without overlap; and which were found.
  function marks(value, quotes) {
    const folded = fold(value.slice(0, READ));
    const hits = quotes.map((quote) => placed(quote, folded.text));
    const spans = hits.flat().map(([start, end]) => [folded.starts[start], folded.ends[end - 1]]);
    spans.sort((a, b) => a[0] - b[0]);
    const joined = [];
    for (const span of spans) {
      const last = joined[joined.length - 1];
      if (last && span[0] <= last[1]) last[1] = Math.max(last[1], span[1]);
      else joined.push(span);
    }
    return { spans: joined, held: hits.map((places) => places.length > 0) };
  }

  // A text with its marks; a long one is cut until it is asked for.
  function passage(value, spans = [], name = "text") {
    const node = make("div", name);
    node.dir = "auto";
    const draw = (end) => {
      node.replaceChildren();
      let from = 0;
      for (const [start, stop] of spans) {
        if (start >= end) break;
        node.append(visible(value.slice(from, start)), make("mark", "", visible(value.slice(start, Math.min(stop, end)))));
        from = Math.min(stop, end);
      }
      node.append(visible(value.slice(from, end)));
    };
    draw(SHOWN);
    if (value.length <= SHOWN) return node;
    const button = make("button", "", `Show all ${value.length.toLocaleString("en")} characters`);
    button.type = "button";
    button.addEventListener("click", () => { draw(value.length); button.remove(); });
    return make("div", "", node, button);
  }

  // The open row.

  function part(title, ...inside) {
    const node = make("section", "", make("h3", "", title));
    node.append(...inside);
    return node;
  }

  function outcome(row) {
    const name = text(row, "outcome");
    const kind = text(row, "kind");
    const badge = make("span", OUTCOMES.includes(name) ? `outcome ${name}` : "outcome", visible(name));
    return kind && kind !== name ? [badge, ` ${brief(kind, 60)}`] : [badge];
  }

  function evidence(quotes, source, answer, given) {
    const list = make("ol", "");
    quotes.forEach((quote, one) => {
      const where = [source.held[one] && "source", answer.held[one] && "answer"].filter(Boolean);
      list.append(make("li", "", passage(quote), where.length
        ? make("small", "", `in the ${where.join(" and the ")}`)
        : make("small", "absent", given ? "not found in source or answer" : "not found in the answer; no source is on record")));
    });
    return list;
  }

  function detail(row) {
    const all = (row.evidence ?? []).map((index) => texts[index]);
    const quotes = all.slice(0, QUOTES);
    const inSource = marks(text(row, "source"), quotes);
    const inAnswer = marks(text(row, "answer"), quotes);
    const head = make("p", "", ...outcome(row));
    if (row.confidence !== null) head.append(`, confidence ${row.confidence}`);
    head.append(` · ${brief(text(row, "model"), 100)} · ${brief(text(row, "metric"), 100)} · ${brief(text(row, "run"), 100)}`);
    const nodes = [make("h3", "", brief(text(row, "case") || "no case id", 200)), head];
    if (row.description !== null) nodes.push(make("p", "", brief(text(row, "description"), 400)));
    if (row.label !== null) {
      const said = make("p", differs(row) ? "differs" : "", `Person: ${brief(text(row, "label"), 60)}${differs(row) ? ", unlike the judge" : ""}`);
      nodes.push(part("The person", said, ...(row.note === null ? [] : [passage(text(row, "note"))])));
    }
    if (row.question !== null) nodes.push(part("Question", passage(text(row, "question"))));
    nodes.push(make("div", "two",
      part("Source", row.source === null ? make("p", "absent", "The results hold no source.") : passage(text(row, "source"), inSource.spans)),
      part("Answer", passage(text(row, "answer"), inAnswer.spans))));
    if (text(row, "critique") !== "" && row.critique !== row.reason) nodes.push(part("Critique", passage(text(row, "critique"))));
    if (quotes.length) {
      nodes.push(part("Evidence", evidence(quotes, inSource, inAnswer, row.source !== null)));
      if (all.length > QUOTES) nodes.push(make("p", "", `${all.length - QUOTES} more quotes are in the JSON.`));
    }
    if (row.reason !== null) nodes.push(part("Reason", passage(text(row, "reason"))));
    nodes.push(part("Raw reply", row.raw === null ? make("p", "absent", "The results hold no raw reply.") : passage(text(row, "raw"), [], "text raw")));
    return nodes;
  }

  // The list.

  function line(row, index) {
    const node = make("tr", "",
      make("td", "", brief(text(row, "case"), 60)),
      make("td", "", brief(text(row, "model"), 60)),
      make("td", "", brief(text(row, "metric"), 40)),
      make("td", "", ...outcome(row)),
      make("td", differs(row) ? "differs" : "", brief(text(row, "label"), 20)));
    node.dataset.at = index;
    node.tabIndex = -1;
    return node;
  }

  function list() {
    const first = Math.floor(at / PAGE) * PAGE;
    const shown = found.slice(first, first + PAGE);
    by("list").replaceChildren(...shown.map((row, index) => line(row, first + index)));
    const pages = Math.max(1, Math.ceil(found.length / PAGE));
    by("page").textContent = `Page ${first / PAGE + 1} of ${pages}`;
    by("back").disabled = first === 0;
    by("forth").disabled = first + PAGE >= found.length;
    by("count").textContent = `${found.length.toLocaleString("en")} of ${rows.length.toLocaleString("en")} rows`;
  }

  // Open a row of those found, on whichever page of the list it is.
  function open(index, focus) {
    const turned = Math.floor(index / PAGE) !== Math.floor(at / PAGE) || !by("list").children.length;
    at = index;
    if (turned) list();
    for (const node of by("list").querySelectorAll("[aria-selected]")) {
      node.removeAttribute("aria-selected");
      node.tabIndex = -1;
    }
    const node = by("list").children[at % PAGE];
    if (!node) {
      by("detail").replaceChildren(make("p", "", "No row is like that."));
      return;
    }
    node.setAttribute("aria-selected", "true");
    node.tabIndex = 0;
    by("detail").replaceChildren(...detail(found[at]));
    if (focus) node.focus();
  }

  // Filters.

  const choices = [...document.querySelectorAll("select[data-field]")];
  const fields = block.columns.filter((name) => name !== "confidence" && name !== "evidence");
  let lower; // texts as the search compares them, made for the first search

  function filter() {
    const wanted = choices.filter((one) => one.value !== "").map((one) => [one.dataset.field, Number(one.value)]);
    const words = by("search").value.trim().toLowerCase();
    if (words !== "") lower ??= texts.map((one) => one.toLowerCase());
    const holds = words === "" ? [] : lower.map((one) => one.includes(words));
    const kept = found[at];
    found = rows.filter((row) =>
      wanted.every(([field, index]) => row[field] === index)
      && (!by("differing").checked || differs(row))
      && (words === "" || fields.some((field) => row[field] !== null && holds[row[field]])));
    at = Math.max(0, found.indexOf(kept));
    list();
    open(at, false);
  }

  for (const choice of choices) {
    const counts = new Map();
    for (const row of rows) {
      const index = row[choice.dataset.field];
      if (index !== null) counts.set(index, (counts.get(index) ?? 0) + 1);
    }
    choice.append(new Option("all", ""));
    for (const [index, count] of counts) choice.append(new Option(`${brief(texts[index], 80)} (${count})`, index));
    choice.addEventListener("change", filter);
    choice.parentElement.hidden = counts.size < 2;
  }
  by("differing").parentElement.hidden = !rows.some((row) => row.label !== null);
  by("differing").addEventListener("change", filter);
  by("search").addEventListener("input", filter);
  by("filters").addEventListener("submit", (event) => event.preventDefault());
  by("filters").addEventListener("reset", () => setTimeout(filter));

  // Mouse and keys.

  const go = (index) => { if (found.length) open(Math.min(Math.max(index, 0), found.length - 1), true); };
  by("back").addEventListener("click", () => go((Math.floor(at / PAGE) - 1) * PAGE));
  by("forth").addEventListener("click", () => go((Math.floor(at / PAGE) + 1) * PAGE));
  by("list").addEventListener("click", (event) => {
    const node = event.target.closest("tr");
    if (node) go(Number(node.dataset.at));
  });
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const writes = event.target.closest("input, select, textarea");
    if (event.key === "Escape" && event.target === by("search")) {
      go(at);
      event.preventDefault();
    }
    if (writes) return;
    const listed = by("list").contains(event.target);
    const steps = { j: 1, k: -1, ...(listed ? { ArrowDown: 1, ArrowUp: -1, PageDown: PAGE, PageUp: -PAGE } : {}) };
    if (event.key === "/") by("search").focus();
    else if (event.key in steps) go(at + steps[event.key]);
    else if (listed && event.key === "Home") go(0);
    else if (listed && event.key === "End") go(found.length - 1);
    else return;
    event.preventDefault();
  });

  filter();
  performance.mark("rows-drawn");
})();
