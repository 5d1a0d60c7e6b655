// Finds a Python and hands the task to scripts/setup.py. Syntax that old Nodes can read too, so
// that they get the sentence below instead of a syntax error.
import { spawn, spawnSync } from "child_process";
import { existsSync } from "fs";
import { constants } from "os";
import { dirname, join } from "path";
import { fileURLToPath } from "url";

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const WINDOWS = process.platform === "win32";
const PROBE =
  "import sys, json, importlib.util as u; print(json.dumps({'version': sys.version_info[:2], " +
  "'path': sys.executable, 'venv': all(u.find_spec(m) for m in ('venv', 'ensurepip'))}))";

function stop(sentence) {
  console.error("voirdire: " + sentence);
  process.exit(2);
}

function checkNode() {
  const [major, minor] = process.versions.node.split(".").map(Number);
  const runs = (major === 20 && minor >= 20) || (major === 22 && minor >= 22) || major > 22;
  if (!runs) {
    stop(
      `Node ${process.versions.node} does not run promptfoo: install Node 22.22 or newer ` +
        "(of the older ones only 20.20 will do) from https://nodejs.org, then run this again.",
    );
  }
}

function probe(command) {
  const [name, ...args] = command;
  const run = spawnSync(name, [...args, "-I", "-c", PROBE], { encoding: "utf8", cwd: ROOT });
  if (run.status !== 0) return null;
  try {
    const { version, path, venv } = JSON.parse(run.stdout);
    return { path, venv, minor: version[0] === 3 ? version[1] : version[0] < 3 ? -1 : Infinity };
  } catch (error) {
    return null;
  }
}

function findPython() {
  const venv = join(ROOT, ".venv");
  if (existsSync(join(venv, "voirdire.json"))) { // written when it was complete
    const found = probe([join(venv, WINDOWS ? "Scripts/python.exe" : "bin/python")]);
    if (found && found.minor >= 10) return found.path;
  }
  const names = ["python3", "python", "python3.13", "python3.12", "python3.11", "python3.10"];
  const commands = names.map((name) => [name]).concat(WINDOWS ? [["py", "-3"]] : []);
  let newer, bare, old;
  for (const command of commands) {
    const found = probe(command);
    if (!found) continue;
    if (found.minor < 10) old = old || found;
    else if (!found.venv) bare = bare || found;
    else if (found.minor > 13) newer = newer || found; // wheels may not exist for it yet
    else return found.path;
  }
  if (newer) return newer.path;
  if (bare) {
    stop(
      `${bare.path} cannot make virtual environments: install its venv module ` +
        `(on Debian and Ubuntu: apt install python3.${bare.minor}-venv), then run this again.`,
    );
  }
  const seen = old ? `, and ${old.path} is older` : " on PATH, and there is none";
  stop(
    `a Python from 3.10 to 3.13 is needed${seen}: install one from https://www.python.org ` +
      "or your system's packages, then run this again.",
  );
}

checkNode();
const node = JSON.stringify({
  version: process.versions.node,
  path: process.execPath,
  platform: process.platform,
  arch: process.arch,
});
const child = spawn(
  findPython(),
  ["-I", join(ROOT, "scripts", "setup.py"), node, ...process.argv.slice(2)],
  { stdio: "inherit" },
);
// A terminal sends Ctrl-C to the child as well: only wait for it to finish. Other signals come
// to this process alone.
process.on("SIGINT", () => {});
for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
child.on("error", (error) => stop(`could not start Python: ${error.message}.`));
child.on("exit", (code, signal) => {
  process.exit(signal ? 128 + constants.signals[signal] : code);
});
