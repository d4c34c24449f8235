// Parts of the page that know no server: texts, tables, times, the chart.
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
const day = (date) => `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
const minute = (date) => `${two(date.getHours())}:${two(date.getMinutes())}`;
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

export function Table({ label, heads, rows, none, kind = "" }) {
  if (!rows.length) return h("p", { class: "soft" }, none);
  const name = (head) => head.replace("#", "");
  const head = heads.map((it) => h("th", { scope: "col", class: it.startsWith("#") ? "number" : "" }, name(it) || h("span", { class: "hidden" }, "actions")));
  const row = ({ key, cells }) => h("tr", { key }, cells.map((it, index) =>
    h("td", { class: `${heads[index].startsWith("#") ? "number " : ""}${it.kind ?? ""}`, "data-label": name(heads[index]) }, h("div", null, it.content))));
  return h("div", { class: "scroll" }, h("table", { class: kind, "aria-label": label }, h("thead", null, h("tr", null, head)), h("tbody", null, rows.map(row))));
}

// The chart: a bar for each slot, its value on hover, and by arrow keys.

const CLASSES = [["answered", "ok"], ["refused or not found (4xx)", "refused"], ["failed (5xx)", "failed"]];

// A round number of at least `most`, so that the axis does not change with each request.
function ceiling(most) {
  const power = 10 ** Math.floor(Math.log10(Math.max(most, 1)));
  return [1, 2, 5, 10].map((it) => it * power).find((it) => it >= most && it >= 1);
}

export function Chart({ summary, isDay, chosen, onChoose }) {
  const { start, step, slots } = summary;
  const sum = (slot) => slot[0] + slot[1] + slot[2];
  const all = slots.reduce((total, slot) => total + sum(slot), 0);
  const top = ceiling(Math.max(...slots.map(sum)));
  const dates = slots.map((_, index) => new Date((start + index * step) * 1000));
  const last = slots.length - 1;
  const index = chosen === null ? null : Math.round((chosen - start) / step);
  const isShown = index !== null && index >= 0 && index <= last;
  const describe = (index) => {
    const end = new Date(dates[index].getTime() + step * 1000);
    const parts = CLASSES.map(([name], kind) => `${number(slots[index][kind])} ${name}`);
    return `${day(dates[index])} ${minute(dates[index])}–${index === last ? "now" : minute(end)}: ${plural(sum(slots[index]), "request")}: ${parts.join(", ")}`;
  };
  const choose = (index) => onChoose(index === null ? null : start + Math.min(Math.max(index, 0), last) * step);
  const onKeyDown = (event) => {
    const from = isShown ? index : last;
    const to = { ArrowLeft: isShown ? from - 1 : last, ArrowRight: from + 1, ArrowDown: from - 1, ArrowUp: from + 1, Home: 0, End: last, PageUp: from - 10, PageDown: from + 10, Escape: null }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    choose(to);
  };
  const onPointer = (event) => {
    const box = event.currentTarget.getBoundingClientRect();
    choose(Math.floor((event.clientX - box.left) / box.width * slots.length));
  };
  const bar = (slot, at) => h("div", { class: at === index ? "bar chosen" : "bar" },
    slot.map((count, kind) => count > 0 && h("div", { class: CLASSES[kind][1], style: `height:${count / top * 100}%` })).reverse());
  // A tick at each sixth of the time, at round times of the browser where slots are hours.
  const every = isDay ? 6 : 10;
  const isTick = (date) => (isDay ? date.getHours() : date.getMinutes()) % every === 0;
  const ticks = dates.flatMap((date, at) => isTick(date) ? [{ date, at }] : []);
  const tick = ({ date, at }, position) => h("span", { class: "tick", style: `left:${(at + .5) / slots.length * 100}%` },
    minute(date), isDay && (position === 0 || date.getHours() < every) && h("span", { class: "day" }, day(date)));
  const period = isDay ? "each hour of the last day" : "each minute of the last hour";
  const text = all ? `${plural(all, "request")} in all. Point at a bar, or choose one with the arrow keys.` : `No requests in the last ${isDay ? "day" : "hour"}.`;
  const busy = slots.flatMap((slot, at) => sum(slot) ? [at] : []).reverse();
  return h("figure", { class: "chart" },
    h("div", { class: "axis", "aria-hidden": "true" }, h("span", null, number(top)), h("span", null, "0")),
    h("div", { class: "plot", tabIndex: 0, role: "slider", "aria-label": `Requests in ${period}`, "aria-valuemin": 0, "aria-valuemax": last, "aria-valuenow": isShown ? index : last,
      "aria-valuetext": describe(isShown ? index : last), onKeyDown, onPointerMove: onPointer, onPointerDown: onPointer, onPointerLeave: (event) => event.pointerType === "mouse" && choose(null), onBlur: () => choose(null) }, slots.map(bar)),
    h("div", { class: "ticks", "aria-hidden": "true" }, ticks.map(tick)),
    h("figcaption", null, h("p", { class: "value" }, isShown ? describe(index) : text),
      h("div", { class: "row soft" }, CLASSES.map(([name, kind]) => h("span", { class: "legend" }, h("i", { class: kind }), name))),
      h("details", null, h("summary", null, "The same as a table"),
        h(Table, { label: `Requests in ${period}`, kind: "stacks times", heads: [isDay ? "hour" : "minute", "#requests", "#answered", "#4xx", "#5xx"], none: text,
          rows: busy.map((at) => ({ key: at, cells: [cell(h(Time, { at: dates[at].getTime() })), ...[sum(slots[at]), ...slots[at]].map((count) => cell(number(count)))] })) }))));
}
