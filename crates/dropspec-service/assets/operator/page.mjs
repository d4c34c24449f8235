// The page of the operator. Counts, the store and the log arrive as server-sent events; keys and callers of deprecated
// operations are asked for at the start, after each change, at each ban, and once a minute.
import { h, render } from "./preact.mjs";
import { Unreachable, ask, listen, post } from "./server.mjs";
import { Table, Time, cell, duration, number, plural, second, size, timeZone } from "./parts.mjs";
import { Chart } from "./chart.mjs";
import { Headline, Plans } from "./overview.mjs";
import { Changes, FIRST_CHANGES } from "./changes.mjs";
import { Keys, QUERY, askForKeys } from "./keys.mjs";
import { Log, MAX_LINES, readLine } from "./log.mjs";

const REFRESH = 60_000;
const MAX_SENDERS = 20;
const state = {
  now: null, lost: null, period: "hour", chosen: null, message: null, deprecated: null, keys: null, query: QUERY, dialog: null, requests: null,
  changes: null, lastChanges: FIRST_CHANGES, findChange: "", keyChanges: null,
  log: [], pausedLog: null, logFilter: { level: "0", key: "", operation: "" },
};

function update(changes) {
  Object.assign(state, typeof changes === "function" ? changes(state) : changes);
  document.title = `${state.lost ? "(connection lost) " : ""}${state.now?.service ?? "operator"}: operator`;
  render(h(Page), document.getElementById("app"));
}

// Asks for a part of the page. What was shown is better than nothing until the connection is back, and the answer to an earlier
// question is not shown if it comes late.
const asked = {};
async function load(name, request) {
  const number = asked[name] = (asked[name] ?? 0) + 1;
  const show = (answer) => number === asked[name] && update({ [name]: answer });
  try {
    show(await request());
  } catch (error) {
    if (!(error instanceof Unreachable)) show({ error: error.message });
  }
}

const loadKeys = () => load("keys", () => askForKeys(state.query));

async function loadRequests() {
  const { command, id } = state.dialog ?? {};
  if (command === "show") await load("requests", () => ask(`/operator/requests?key=${id}`));
}

const loadChanges = () => load("changes", () => post("/operator/keys", ["log", `--last=${state.lastChanges}`]));

const refresh = () => Promise.all([loadKeys(), loadRequests(), loadChanges(), load("deprecated", () => ask("/operator/deprecated"))]);

// Opens the dialog of a key command with what there is to know of the key.
async function openKey(command, id) {
  try {
    update({ message: null, requests: null, keyChanges: null, dialog: { command, id, data: await post("/operator/keys", ["show", String(id)]) } });
    if (command === "show") await Promise.all([loadRequests(), load("keyChanges", () => post("/operator/keys", ["log", String(id), "--last=100"]))]);
  } catch (error) {
    update({ message: { error: error.message } });
  }
}

function showOlderChanges() {
  update({ lastChanges: state.lastChanges * 4 });
  loadChanges();
}

// Keys whose names are not known yet, each of them once.
const named = new Set();
function hasNewKey({ hour }) {
  const found = hour.counts.map((it) => it.key).filter((key) => !named.has(key));
  found.forEach((key) => named.add(key));
  return found.length > 0;
}

function onState(now) {
  const isStale = state.lost || now.store.bans !== state.now?.store.bans;
  const log = [...(now.first ? [] : state.log), ...now.log.map(readLine)].slice(-MAX_LINES);
  update({ now, log, lost: null });
  if (isStale) refresh();
  else if (hasNewKey(now)) loadKeys();
  loadRequests();
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
  const { counts, latencies, pages } = summary;
  // The id and the name of a key by the beginning of a secret.
  const keyOf = (prefix) => state.keys?.names?.[prefix] ?? [];
  const link = ([id, name]) => id && h("button", { class: "link", onClick: () => openKey("show", id) }, name);
  const row = (group) => ({ key: group.name, cells: [cell([h("code", null, group.name), " ", link(keyOf(group.name))]), cell(number(group.requests)), cell(statuses(group))] });
  const slowest = latencies.slice().sort((a, b) => b.p95 - a.p95 || b.mean - a.mean).slice(0, 10);
  const none = `No requests in ${last}.`;
  const byKey = group(counts, "key");
  const times = ["mean", "p50", "p95", "p99", "longest"];
  return [
    h(Section, { id: "operations", title: "Requests by operation" },
      h(Table, { label: "Requests by operation", kind: "counts", heads: ["operation", "#requests", "by status"], rows: group(counts, "operation").map(row), none }),
      pages > 0 && h("p", { class: "soft" }, `Without ${plural(pages, "request")} for the pages of the reference, which are no operations.`)),
    h(Section, { id: "senders", title: "Requests by key" },
      h(Table, { label: "Requests by key", kind: "counts", heads: ["key", "#requests", "by status"], rows: byKey.slice(0, MAX_SENDERS).map(row), none }),
      byKey.length > MAX_SENDERS && h("p", { class: "soft" }, `The ${MAX_SENDERS} keys with the most requests, of ${number(byKey.length)}.`)),
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
    h("div", { class: "list", tabIndex: 0, role: "region", "aria-label": "Deprecated operations and their callers" },
      h(Table, { label: "Deprecated operations", kind: "stacks", heads: ["operation", "ends on", "callers"], rows, none: "Nothing is deprecated." })),
  ];
}

function Store({ store }) {
  const show = (name, value) => name.endsWith("bytes") ? size(value) : typeof value === "number" ? number(value) : value;
  return h("dl", { class: "wrapped" }, Object.entries(store).map(([name, value]) =>
    h("div", { key: name }, h("dt", null, name.replace(/_bytes$/, "").replaceAll("_", " ")), h("dd", null, show(name, value)))));
}

function Message({ message }) {
  return h("div", { class: "toast", role: "status" }, message && h("div", { class: "message" },
    h("span", { class: message.error ? "bad" : "good" }, message.error ?? message.text), h("button", { onClick: () => update({ message: null }) }, "Close")));
}

function Lost() {
  return h("p", { class: "lost", role: "alert" }, state.lost && [
    h("strong", null, "Connection lost"), ` since ${second(new Date(state.lost.at))}. ${state.lost.reason} ${state.now ? "What you see is from before. " : ""}The page tries again every few seconds.`]);
}

const PARTS = [["requests", "Requests"], ["slowest", "Slowest"], ["plans", "Plans"], ["keys", "Keys"], ["changes", "Changes"], ["log-part", "Log"], ["deprecated", "Deprecated"], ["store", "Store"]];

// That of the service. An address that means this machine, or all of its addresses, is the host of this page.
function docsOf({ docs }) {
  const url = new URL(docs);
  if (["0.0.0.0", "[::]", "127.0.0.1", "[::1]"].includes(url.hostname)) url.hostname = location.hostname;
  return url.href;
}

async function showBanned() {
  update({ query: { ...QUERY, shown: "banned", sort: "state", descending: true } });
  await loadKeys();
  document.getElementById("keys").scrollIntoView();
}

function Page() {
  const { now, lost, period, keys } = state;
  if (!now) return [h("header", null, h("h1", null, lost ? "No connection" : "Connecting…")), h(Lost)];
  const [isDay, last] = period === "day" ? [true, "the last day"] : [false, "the last hour"];
  const choice = (name, text) => h("button", { "aria-pressed": String(period === name), onClick: () => update({ period: name, chosen: null }) }, text);
  return [
    h("header", null, h("h1", null, now.service), h("span", { class: "soft" }, now.server),
      h("span", { class: `live ${lost ? "bad" : "good"}` }, lost ? "connection lost" : "live"),
      h("div", { class: "row", role: "group", "aria-label": "Period" }, choice("hour", "Last hour"), choice("day", "Last day")),
      h("nav", { class: "row", "aria-label": "Parts of the page" }, PARTS.map(([id, text]) => h("a", { href: `#${id}` }, text))),
      h("a", { href: docsOf(now), target: "_blank", rel: "noreferrer" }, "Reference (/docs)"),
      h("span", { class: "soft" }, `Times: ${timeZone()}`),
      now.has_login && h("button", { onClick: logOut }, "Log out")),
    h(Lost),
    h("main", null,
      h(Headline, { now, period, last, keys, onBanned: showBanned }),
      h(Section, { id: "requests", title: "Requests", wide: true }, h(Chart, { summary: now[period], isDay, chosen: state.chosen, onChoose: (chosen) => update({ chosen }) })),
      h(Requests, { summary: now[period], last }),
      h(Section, { id: "plans", title: "Plans" }, h(Plans, { plans: now.settings.plans, keys })),
      h(Section, { id: "keys", title: "API keys", wide: true }, h(Keys, { state, update, loadKeys, refresh, open: openKey, settings: now.settings })),
      h(Section, { id: "changes", title: "Changes of keys", wide: true },
        h(Changes, { data: state.changes, ofAll: true, last: state.lastChanges, find: state.findChange, onFind: (findChange) => update({ findChange }), onMore: showOlderChanges, onKey: (id) => openKey("show", id) })),
      h(Section, { id: "log-part", title: "Log", wide: true },
        h(Log, { lines: state.log, paused: state.pausedLog, filter: state.logFilter, names: keys?.names ?? {}, operations: [...new Set(now.day.counts.map((it) => it.operation))], update })),
      h(Section, { id: "deprecated", title: "Deprecated, and who still calls it" }, h(Deprecated, { data: state.deprecated })),
      h(Section, { id: "store", title: "Store and disk" }, h(Store, { store: now.store }))),
    h(Message, { message: state.message }),
  ];
}

update({});
listen(onState, onLost);
refresh();
setInterval(refresh, REFRESH);
