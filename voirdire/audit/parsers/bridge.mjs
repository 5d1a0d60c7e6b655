// Runs one JavaScript function on texts: a JSON line in, a JSON line out. Started by node.py as
// `node bridge.mjs FILE_URL EXPORT`; an empty EXPORT stands for the default one.
import { randomUUID } from "node:crypto";
import { writeSync } from "node:fs";

const [url, name] = process.argv.slice(2);
const ANSWERS = 3; // not 1: what the parser prints must not come between the answers
const { parse: fromJson, stringify: toJson } = JSON; // the parser may put others in their place

function write(line) {
  const bytes = Buffer.from(line);
  for (let done = 0; done < bytes.length;) done += writeSync(ANSWERS, bytes, done);
}
const answer = (value) => write(toJson(value) + "\n");

// JSON.stringify turns NaN to null and refuses big integers, both of which JSON lines between
// us may hold: they are written as marked strings, from which the mark is taken off again. No
// parser can guess the mark.
const mark = randomUUID();
const marked = new RegExp(`"${mark}([^"]+)"`, "g");
function sayable(key, value) {
  if (typeof value === "bigint" || (typeof value === "number" && !Number.isFinite(value))) {
    return mark + value;
  }
  return value instanceof Map ? Object.fromEntries(value) : value;
}

function json(value) {
  let text;
  try {
    text = toJson(value, sayable);
  } catch (error) { // a circle, or too deep
    throw new NotJsonError(String(error.message).split("\n")[0]);
  }
  if (text === undefined) throw new NotJsonError(`a ${typeof value}`);
  return text.includes(mark) ? text.replace(marked, "$1") : text;
}

class NotJsonError extends Error {
  name = "NotJsonError";
}

function refusal(error) {
  let message, name;
  try {
    message = String(error?.message ?? error);
    name = String(error?.name ?? typeof error);
  } catch { // what was thrown throws when it is asked what it is
    return { error: "", name: "Error" };
  }
  if (message === "Array buffer allocation failed") name = "MemoryError";
  return { error: message, name };
}

async function load() {
  const module = await import(url);
  // CommonJS: all its exports are the default one, and so may be what a compiler made of "default".
  const places = name
    ? [module, module.default].map((place) => [place, ...name.split(".")])
    : [[module, "default"], [module, "default", "default"]];
  for (const [place, ...path] of places) {
    const holder = path.slice(0, -1).reduce((value, key) => value?.[key], place);
    const found = holder?.[path.at(-1)];
    if (typeof found === "function") return found.bind(holder);
  }
  const exported = Object.keys(module).join(", ") || "nothing";
  throw new Error(`it exports no function ${name || "by default"} (but ${exported})`);
}

async function respond(parse, line) {
  const { id, text } = fromJson(line);
  try {
    const value = await parse(text);
    const found = value === undefined || value === null ? "" : `,"value":${json(value)}`;
    write(`{"id":${id}${found}}\n`);
  } catch (error) {
    answer({ id, ...refusal(error) });
  }
}

let parse;
try {
  parse = await load();
  answer({ ready: true });
} catch (error) {
  const { error: message } = refusal(error);
  const isOther = error?.code === "ERR_UNKNOWN_FILE_EXTENSION";
  answer({ error: isOther ? `${message} (TypeScript needs Node 22.18 or later)` : message });
  process.exit(1);
}
let pieces = [];
for await (const chunk of process.stdin.setEncoding("utf8")) {
  const lines = chunk.split("\n");
  pieces.push(lines[0]);
  for (const begun of lines.slice(1)) {
    await respond(parse, pieces.join(""));
    pieces = [begun];
  }
}
process.exit(0); // what the parser left running must not keep us
