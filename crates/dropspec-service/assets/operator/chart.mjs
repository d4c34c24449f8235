// The chart of requests: a bar for each slot, its value on hover, and by arrow keys.
import { h } from "./preact.mjs";
import { Table, Time, cell, day, minute, number, plural } from "./parts.mjs";


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
