// The log: lines of both formats, with filters by level, key and operation, and a pause.
import { h } from "./preact.mjs";
import { Search, Select, Time, plural } from "./parts.mjs";

// So many lines are kept while the page is open; the server sends its last 200 at the start.
export const MAX_LINES = 1000;
const MAX_SHOWN = 200;

const RANKS = { CRIT: 3, ERRO: 3, WARN: 2, INFO: 1 };
const LEVELS = [["0", "All levels"], ["1", "Without debug"], ["2", "Warnings and errors"], ["3", "Errors"]];

// Of a long line in JSON only the beginning is there, so it is no JSON.
function readJson(text) {
  const fields = [...text.matchAll(/"(\w+)":("(?:[^"\\]|\\.)*"?|[^,}]+)/g)].map(([, name, value]) => {
    try {
      return [name, String(JSON.parse(value) ?? "")];
    } catch {
      return [name, value.replace(/^"/, "")];
    }
  });
  const { level = "", msg = "", ...rest } = Object.fromEntries(fields);
  return { level, message: msg, fields: Object.entries(rest).filter(([, value]) => value !== "") };
}

function readText(text) {
  const [, level, message, rest] = /^([A-Z]{4} )?(.*?)((?:, \w+: .*)?)$/s.exec(text);
  return { level: level?.trim() ?? "", message, fields: [...rest.matchAll(/, (\w+): (.*?)(?=, \w+: |$)/gs)].map(([, name, value]) => [name, value]) };
}

// A line as the server sends it: its number, its time, and its text, which may have the colours of a terminal.
export function readLine([id, at, sent]) {
  const text = sent.replace(/\u001b\[[0-9;]*m/g, "");
  return { id, at, ...(text.startsWith("{") ? readJson(text) : readText(text)) };
}

const fieldOf = (line, name) => line.fields.find(([it]) => it === name)?.[1] ?? "";

function fits(line, { level, key, operation }) {
  const has = (text, part) => text.toLowerCase().includes(part.trim().toLowerCase());
  // The key and the operation of a request in fields of their own; what else names an operation, anywhere.
  return (RANKS[line.level] ?? 0) >= Number(level) && has(fieldOf(line, "key"), key) && has([line.message, ...line.fields.map(([, value]) => value)].join(" "), operation);
}

// `names` are the names of keys by prefix, `operations` those that were called: both are proposed.
export function Log({ lines, paused, filter, names, operations, update }) {
  const set = (changes) => update({ logFilter: { ...filter, ...changes } });
  const all = paused ?? lines;
  const found = all.filter((line) => fits(line, filter));
  const waiting = paused ? lines.filter((line) => line.id > (paused.at(-1)?.id ?? -1)).length : 0;
  const line = ({ id, at, level, message, fields }) => h("div", { key: id, class: ["", "", "warn", "bad"][RANKS[level] ?? 0] },
    h(Time, { at }), ` ${level} ${message}`, h("span", { class: "fields" }, fields.map(([name, value]) => [" ", h("span", { class: "soft" }, `${name}: `), value])));
  return [
    h("div", { class: "row tools" },
      h(Select, { label: "Level", value: filter.level, options: LEVELS, onChange: (level) => set({ level }) }),
      h(Search, { label: "Key of the lines", value: filter.key, list: "log-keys", onInput: (key) => set({ key }) }),
      h(Search, { label: "Operation or text", value: filter.operation, list: "log-operations", onInput: (operation) => set({ operation }) }),
      h("button", { "aria-pressed": String(!!paused), onClick: () => update({ pausedLog: paused ? null : lines }) }, paused ? "Go on" : "Pause"),
      h("span", { class: "soft" }, paused ? `Paused; ${plural(waiting, "newer line")}.` : "", found.length < all.length ? ` ${found.length} of ${plural(all.length, "line")} fit.` : "")),
    h("datalist", { id: "log-keys" }, Object.entries(names).map(([prefix, [, name]]) => h("option", { value: prefix }, name))),
    h("datalist", { id: "log-operations" }, operations.map((name) => h("option", { value: name }))),
    h("div", { id: "log", tabIndex: 0, role: "log", "aria-live": "off", "aria-label": "Log, the newest line first" },
      found.length ? found.slice(-MAX_SHOWN).reverse().map(line) : h("p", { class: "soft" }, all.length ? "No line fits." : "No lines yet.")),
  ];
}
