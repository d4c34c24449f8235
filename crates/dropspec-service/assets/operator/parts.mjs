// Parts of the page that know no server: texts, tables, times.
import { h } from "./preact.mjs";

export const number = (value) => value.toLocaleString("en");
export const duration = (micros) => micros >= 1e6 ? `${(micros / 1e6).toFixed(2)} s` : `${(micros / 1e3).toFixed(micros < 1e4 ? 2 : 1)} ms`;
export const plural = (count, noun) => `${number(count)} ${noun}${count === 1 ? "" : "s"}`;

export function size(bytes) {
  let unit = 0;
  while (bytes >= 1024 && unit < 4) { bytes /= 1024; unit++; }
  return `${bytes.toFixed(unit ? 1 : 0)} ${["B", "KiB", "MiB", "GiB", "TiB"][unit]}`;
}

// Times: year, month, day and time of the browser's time zone, everywhere on the page in this form.

const two = (value) => String(value).padStart(2, "0");
export const day = (date) => `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
export const minute = (date) => `${two(date.getHours())}:${two(date.getMinutes())}`;
export const second = (date) => `${day(date)} ${minute(date)}:${two(date.getSeconds())}`;

export function timeZone() {
  const minutes = -new Date().getTimezoneOffset();
  const [hours, rest] = [Math.trunc(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  const offset = minutes ? `UTC${minutes < 0 ? "−" : "+"}${hours}${rest ? `:${two(rest)}` : ""}` : "UTC";
  const name = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return !name || name === offset ? offset : `${name} (${offset})`;
}

// A time in RFC 3339 or in milliseconds since 1970; the exact one, in UTC, on hover.
export function Time({ at }) {
  if (!at) return null;
  const date = new Date(at);
  if (isNaN(date)) return String(at);
  const exact = date.toISOString();
  return h("time", { datetime: exact, title: exact.replace("T", " ").replace("Z", " UTC") }, second(date));
}

// Tables. On a narrow screen each row of one that stacks is a list, with the heads as labels.

export const cell = (content, kind) => ({ content, kind });

// `sort` has the name of each column that sorts, the chosen one, and what is called with another one.
export function Table({ label, heads, rows, none, kind = "", sort }) {
  if (!rows.length) return h("p", { class: "soft" }, none);
  const name = (head) => head.replace("#", "");
  const order = sort?.descending ? "descending" : "ascending";
  const sorting = (column, text) => h("button", { class: "sort", onClick: () => sort.onSort(column) }, text,
    h("span", { "aria-hidden": "true" }, column !== sort.by ? " ↕" : sort.descending ? " ↓" : " ↑"));
  const head = heads.map((it, index) => {
    const column = sort?.columns[index];
    return h("th", { scope: "col", class: it.startsWith("#") ? "number" : "", "aria-sort": column && column === sort.by ? order : undefined },
      column ? sorting(column, name(it)) : name(it) || h("span", { class: "hidden" }, "actions"));
  });
  const row = ({ key, cells }) => h("tr", { key }, cells.map((it, index) =>
    h("td", { class: `${heads[index].startsWith("#") ? "number " : ""}${it.kind ?? ""}`, "data-label": name(heads[index]) }, h("div", null, it.content))));
  return h("div", { class: "scroll" }, h("table", { class: kind, "aria-label": label }, h("thead", null, h("tr", null, head)), h("tbody", null, rows.map(row))));
}

// Choices. `options` are pairs of a value and its text.

export const Select = ({ label, value, options, onChange }) =>
  h("select", { "aria-label": label, onChange: (event) => onChange(event.target.value) },
    options.map(([option, text]) => h("option", { key: option, value: option, selected: option === value }, text)));

export const Search = ({ label, value, onInput, list }) =>
  h("input", { type: "search", "aria-label": label, placeholder: label, size: Math.max(label.length, 18), value, list, autocomplete: "off", onInput: (event) => onInput(event.target.value) });
