// The page of the operator. Counts, the store and the log arrive as server-sent events; keys and callers of deprecated
// operations are asked for at the start, after each change, at each ban, and once a minute.
import { h, render } from "./preact.mjs";
import { Unreachable, ask, listen, post } from "./server.mjs";
import { Chart, Table, Time, cell, duration, number, second, size, timeZone } from "./parts.mjs";
import { Keys } from "./keys.mjs";

const REFRESH = 60_000;
const MAX_LOG_LINES = 200;
const state = { now: null, lost: null, period: "hour", chosen: null, log: [], keys: null, deprecated: null, message: null, dialog: null, filter: "", shown: "all" };

function update(changes) {
  Object.assign(state, typeof changes === "function" ? changes(state) : changes);
  document.title = `${state.lost ? "(connection lost) " : ""}${state.now?.service ?? "operator"}: operator`;
  render(h(Page), document.getElementById("app"));
}

async function refresh() {
  for (const [name, path] of [["keys", "/operator/keys"], ["deprecated", "/operator/deprecated"]]) {
    try {
      update({ [name]: await ask(path) });
    } catch (error) {
      // What was shown is better than nothing until the connection is back.
      if (!(error instanceof Unreachable)) update({ [name]: { error: error.message } });
    }
  }
}

function onState(now) {
  const isStale = state.lost || now.store.bans !== state.now?.store.bans;
  const log = [...(now.first ? [] : state.log), ...now.log].slice(-MAX_LOG_LINES);
  update({ now, log, lost: null });
  if (isStale) refresh();
}

function onLost(reason) {
  update({ lost: { reason, at: state.lost?.at ?? Date.now() } });
}

async function logOut() {
  try {
    await post("/operator/logout", null);
    location.reload();
  } catch (error) {
    update({ message: { error: error.message } });
  }
}

function group(counts, name) {
  const groups = new Map();
  for (const count of counts) {
    const group = groups.get(count[name]) ?? { name: count[name], requests: 0, statuses: new Map() };
    group.requests += count.requests;
    group.statuses.set(count.status, (group.statuses.get(count.status) ?? 0) + count.requests);
    groups.set(count[name], group);
  }
  return [...groups.values()].sort((a, b) => b.requests - a.requests || (a.name < b.name ? -1 : 1));
}

const statuses = (group) => h("div", { class: "statuses" }, [...group.statuses].sort(([a], [b]) => a - b).map(([status, count]) =>
  h("span", { key: status, class: status >= 500 ? "bad" : status >= 400 ? "soft" : "" }, `${status}: ${number(count)}`)));

function Section({ id, title, wide, children }) {
  return h("section", { id, class: wide ? "wide" : "", "aria-labelledby": `${id}-title` }, h("h2", { id: `${id}-title` }, title), children);
}

function Requests({ summary, last }) {
  const { counts, latencies } = summary;
  // The names of keys by the beginnings of their secrets.
  const keys = new Map((state.keys?.keys ?? []).flatMap((key) => key.secrets.map((secret) => [secret.prefix, key.name])));
  const row = (group) => ({ key: group.name, cells: [cell([h("code", null, group.name), " ", h("span", { class: "soft" }, keys.get(group.name))]), cell(number(group.requests)), cell(statuses(group))] });
  const slowest = latencies.slice().sort((a, b) => b.p95 - a.p95 || b.mean - a.mean).slice(0, 10);
  const none = `No requests in ${last}.`;
  const byKey = group(counts, "key");
  const times = ["mean", "p50", "p95", "p99", "longest"];
  return [
    h(Section, { id: "operations", title: "Requests by operation" },
      h(Table, { label: "Requests by operation", kind: "counts", heads: ["operation", "#requests", "by status"], rows: group(counts, "operation").map(row), none })),
    h(Section, { id: "senders", title: "Requests by key" },
      h(Table, { label: "Requests by key", kind: "counts", heads: ["key", "#requests", "by status"], rows: byKey.slice(0, 50).map(row), none }),
      byKey.length > 50 && h("p", { class: "soft" }, `The 50 keys with the most requests, of ${number(byKey.length)}.`)),
    h(Section, { id: "slowest", title: "Slowest operations" },
      slowest.length > 0 && h("p", { class: "soft" }, "The ten operations with the highest p95. Of a hundred requests, 50 took at most p50, 95 at most p95, 99 at most p99; these are at most 25 % too high."),
      h(Table, { label: "Slowest operations", kind: "stacks times", heads: ["operation", ...times.map((it) => `#${it}`), "#requests"], none,
        rows: slowest.map((it) => ({ key: it.operation, cells: [cell(h("code", null, it.operation)), ...times.map((name) => cell(duration(it[name]))), cell(number(it.requests))] })) })),
  ];
}

function Deprecated({ data }) {
  if (!data) return h("p", { class: "soft" }, "Loading…");
  if (data.error) return h("p", { class: "soft" }, data.error);
  const callers = (it) => it.callers.length
    ? it.callers.map((caller) => h("div", { key: caller.name }, `${caller.name}: ${number(caller.requests)}, last on ${caller.last}`))
    : h("span", { class: "good" }, "nobody");
  const rows = data.operations.map((it) => ({ key: `${it.operation} ${it.input}`, cells: [
    cell(h("code", null, it.input ? `${it.operation}: ${it.input}` : it.operation)), cell(it.sunset ?? "not said"), cell(callers(it)),
  ] }));
  return [
    h("p", { class: "soft" }, "In the last 30 days, which are days in UTC; stored once a minute."),
    h(Table, { label: "Deprecated operations", kind: "stacks", heads: ["operation", "ends on", "callers"], rows, none: "Nothing is deprecated." }),
  ];
}

function Store({ store }) {
  const show = (name, value) => name.endsWith("bytes") ? size(value) : typeof value === "number" ? number(value) : value;
  return h("dl", { class: "wrapped" }, Object.entries(store).map(([name, value]) =>
    h("div", { key: name }, h("dt", null, name.replace(/_bytes$/, "").replaceAll("_", " ")), h("dd", null, show(name, value)))));
}

// Without the colours of a terminal.
const plain = (text) => text.replace(/\u001b\[[0-9;]*m/g, "");
const LEVELS = [[/^(ERRO|CRIT)|"level":"(ERRO|CRIT)/, "bad"], [/^WARN|"level":"WARN/, "warn"]];

function Log({ lines }) {
  const level = (text) => LEVELS.find(([pattern]) => pattern.test(text))?.[1] ?? "";
  const line = ([id, at, text]) => h("div", { key: id, class: level(plain(text)) }, h(Time, { at }), " ", plain(text));
  return h("div", { id: "log", tabIndex: 0, role: "log", "aria-live": "off", "aria-label": "Log, the newest line first" },
    lines.length ? lines.slice().reverse().map(line) : h("p", { class: "soft" }, "No lines yet."));
}

function Message({ message }) {
  return h("div", { class: "toast", role: "status" }, message && h("div", { class: "message" },
    h("span", { class: message.error ? "bad" : "good" }, message.error ?? message.text), h("button", { onClick: () => update({ message: null }) }, "Close")));
}

function Lost() {
  return h("p", { class: "lost", role: "alert" }, state.lost && [
    h("strong", null, "Connection lost"), ` since ${second(new Date(state.lost.at))}. ${state.lost.reason} ${state.now ? "What you see is from before. " : ""}The page tries again every few seconds.`]);
}

const PARTS = [["requests", "Requests"], ["slowest", "Slowest"], ["deprecated", "Deprecated"], ["store", "Store"], ["keys", "Keys"], ["log-part", "Log"]];

function Page() {
  const { now, lost, period } = state;
  if (!now) return [h("header", null, h("h1", null, lost ? "No connection" : "Connecting…")), h(Lost)];
  const [isDay, last] = period === "day" ? [true, "the last day"] : [false, "the last hour"];
  const choice = (name, text) => h("button", { "aria-pressed": String(period === name), onClick: () => update({ period: name, chosen: null }) }, text);
  return [
    h("header", null, h("h1", null, now.service), h("span", { class: "soft" }, now.server),
      h("span", { class: `live ${lost ? "bad" : "good"}` }, lost ? "connection lost" : "live"),
      h("div", { class: "row", role: "group", "aria-label": "Period" }, choice("hour", "Last hour"), choice("day", "Last day")),
      h("nav", { class: "row", "aria-label": "Parts of the page" }, PARTS.map(([id, text]) => h("a", { href: `#${id}` }, text))),
      h("span", { class: "soft" }, `Times: ${timeZone()}`),
      now.has_login && h("button", { onClick: logOut }, "Log out")),
    h(Lost),
    h("main", null,
      h(Section, { id: "requests", title: "Requests", wide: true }, h(Chart, { summary: now[period], isDay, chosen: state.chosen, onChoose: (chosen) => update({ chosen }) })),
      h(Requests, { summary: now[period], last }),
      h(Section, { id: "deprecated", title: "Deprecated, and who still calls it" }, h(Deprecated, { data: state.deprecated })),
      h(Section, { id: "store", title: "Store and disk", wide: true }, h(Store, { store: now.store })),
      h(Section, { id: "keys", title: "API keys", wide: true }, h(Keys, { state, update, refresh, settings: now.settings })),
      h(Section, { id: "log-part", title: "Log", wide: true }, h(Log, { lines: state.log }))),
    h(Message, { message: state.message }),
  ];
}

update({});
listen(onState, onLost);
refresh();
setInterval(refresh, REFRESH);
