// The page of the operator. Counts, the store and the log arrive as server-sent events; keys and callers of deprecated
// operations are asked for at the start, after each change, and once a minute.
import { h, render } from "./preact.mjs";

const REFRESH = 60_000;
const MAX_LOG_LINES = 200;
const state = { live: false, period: "hour", log: [], keys: null, deprecated: null, message: null, dialog: null, filter: "" };

function update(changes) {
  Object.assign(state, changes);
  render(h(Page), document.getElementById("app"));
}

// Requests to the panel.

async function ask(path, options) {
  const response = await fetch(path, { ...options, headers: { "X-Operator": "1", "Content-Type": "application/json" } });
  const text = await response.text();
  if (!response.ok) throw new Error(text.trim() || `the panel answers ${response.status}`);
  return JSON.parse(text);
}

async function refresh() {
  for (const [name, path] of [["keys", "/operator/keys"], ["deprecated", "/operator/deprecated"]]) {
    try { update({ [name]: await ask(path) }); } catch (error) { update({ [name]: { error: error.message } }); }
  }
}

const DONE = {
  "set-plan": "has another plan", "set-scopes": "has other scopes", unban: "is not banned, and has no strikes", revoke: "is revoked",
};

async function run(words) {
  try {
    const result = await ask("/operator/keys", { method: "POST", body: JSON.stringify(words) });
    update({ dialog: null, message: result.key ? { secret: result } : { text: `Key ${words[1]} ${DONE[words[0]]}.` } });
    document.querySelector(".message")?.scrollIntoView({ block: "nearest" });
  } catch (error) {
    // A dialog stays open with what was typed.
    update(state.dialog ? { dialog: { ...state.dialog, error: error.message } } : { message: { error: error.message } });
  }
  refresh();
}

// Opens the dialog of a command with what there is to know of the key.
async function open(command, id) {
  try {
    const data = await ask("/operator/keys", { method: "POST", body: JSON.stringify(["show", String(id)]) });
    update({ dialog: { command, id, data } });
  } catch (error) {
    update({ message: { error: error.message } });
  }
}

function listen() {
  const events = new EventSource("/operator/events");
  events.addEventListener("state", (event) => {
    const now = JSON.parse(event.data);
    const log = [...(now.first ? [] : state.log), ...now.log].slice(-MAX_LOG_LINES);
    update({ live: true, now, log });
  });
  events.onerror = () => update({ live: false });
  // A browser does not try again after a refusal.
  setInterval(() => { if (events.readyState === EventSource.CLOSED) location.reload(); }, 5_000);
}

// Texts.

const number = (value) => value.toLocaleString("en");
const time = (micros) => micros >= 1e6 ? `${(micros / 1e6).toFixed(2)} s` : `${(micros / 1e3).toFixed(micros < 1e4 ? 2 : 1)} ms`;
const size = (bytes) => { let unit = 0; while (bytes >= 1024 && unit < 4) { bytes /= 1024; unit++; } return `${bytes.toFixed(unit ? 1 : 0)} ${["B", "KiB", "MiB", "GiB", "TiB"][unit]}`; };
const local = (text) => text ? new Date(text).toLocaleString() : "";
// Colours of a terminal.
const plain = (line) => line.replace(/\u001b\[[0-9;]*m/g, "");

// Parts of the page.

const cell = (text, kind) => h("td", { class: kind }, text);

function Table({ heads, rows, none, stacks }) {
  if (!rows.length) return h("p", { class: "soft" }, none);
  const head = heads.map((name) => h("th", { class: name.startsWith("#") ? "number" : "" }, name.replace("#", "")));
  return h("div", { class: "scroll" }, h("table", { class: stacks && "stacks" }, h("thead", null, h("tr", null, head)), h("tbody", null, rows.map((row) => h("tr", null, row)))));
}

function Chart({ minutes }) {
  const most = Math.max(1, ...minutes.map(([all]) => all));
  const bars = minutes.flatMap(([all, failed], index) => [["all", all], ["failed", failed]].map(([kind, count]) =>
    h("rect", { class: kind, x: index * 10 + 1, width: 8, y: 100 - count / most * 98, height: count / most * 98 })));
  const text = `Requests in each of the last 60 minutes, at most ${number(most)}`;
  return h("figure", { style: "margin:0" }, h("svg", { viewBox: "0 0 600 100", preserveAspectRatio: "none", role: "img", "aria-label": text }, bars), h("figcaption", { class: "soft" }, text));
}

function group(counts, name) {
  const groups = new Map();
  for (const count of counts) {
    const group = groups.get(count[name]) ?? { name: count[name], requests: 0, micros: 0, longest: 0, statuses: new Map() };
    group.requests += count.requests;
    group.micros += count.micros;
    group.longest = Math.max(group.longest, count.longest);
    group.statuses.set(count.status, (group.statuses.get(count.status) ?? 0) + count.requests);
    groups.set(count[name], group);
  }
  return [...groups.values()].sort((a, b) => b.requests - a.requests);
}

const statuses = (group) => [...group.statuses].sort().map(([status, count]) =>
  h("span", { class: status >= 500 ? "bad" : status >= 400 ? "soft" : "" }, `${status}: ${number(count)}  `));

function Requests({ counts }) {
  // The names of keys by the beginnings of their secrets.
  const keys = new Map((state.keys?.keys ?? []).flatMap((key) => key.secrets.map((secret) => [secret.prefix, key.name])));
  const row = (group) => [cell([h("code", null, group.name), " ", h("span", { class: "soft" }, keys.get(group.name))]), cell(number(group.requests), "number"), cell(statuses(group))];
  const operations = group(counts, "operation");
  const slowest = operations.slice().sort((a, b) => b.micros / b.requests - a.micros / a.requests).slice(0, 10);
  const last = state.period === "hour" ? "the last hour" : "the last day";
  const none = `No requests in ${last}.`;
  return [
    h("section", null, h("h2", null, "Requests by operation"), h(Table, { heads: ["operation", "#requests", "by status"], rows: operations.map(row), none })),
    h("section", null, h("h2", null, "Requests by key"), h(Table, { heads: ["key", "#requests", "by status"], rows: group(counts, "key").slice(0, 50).map(row), none })),
    h("section", null, h("h2", null, "Slowest operations"), h(Table, {
      heads: ["operation", "#mean", "#longest", "#requests"], none,
      rows: slowest.map((it) => [cell(h("code", null, it.name)), cell(time(it.micros / it.requests), "number"), cell(time(it.longest), "number"), cell(number(it.requests), "number")]),
    })),
  ];
}

function Deprecated({ data }) {
  if (!data) return null;
  const rows = data.error ? [] : data.operations.map((it) => [
    cell(h("code", null, it.input ? `${it.operation}: ${it.input}` : it.operation)), cell(it.sunset ?? ""),
    cell(it.callers.length ? it.callers.map((caller) => h("div", null, `${caller.name}: ${number(caller.requests)}, last on ${caller.last}`)) : h("span", { class: "good" }, "nobody")),
  ]);
  return h("section", null, h("h2", null, "Deprecated, and who still calls it"),
    h("p", { class: "soft" }, "In the last 30 days; stored once a minute."),
    h(Table, { heads: ["operation", "ends on", "callers"], rows, none: data.error ?? "Nothing is deprecated." }));
}

function KeyButtons({ item, scopes }) {
  const { id } = item;
  if (item.revoked_at) return h("span", { class: "soft" }, `revoked ${local(item.revoked_at)}`);
  const button = (command, text, kind) => h("button", { class: kind, onClick: () => open(command, id) }, text);
  return h("div", { class: "row" },
    button("show", "Show"), button("set-plan", "Plan"), scopes.length > 0 && button("set-scopes", "Scopes"), button("rotate", "Rotate"),
    (item.banned_until || item.strikes > 0) && h("button", { onClick: () => run(["unban", String(id)]) }, "Unban"), button("revoke", "Revoke", "danger"));
}

function Keys({ data, settings }) {
  if (!data) return null;
  if (data.error) return h("section", { class: "wide" }, h("h2", null, "API keys"), h("p", { class: "soft" }, data.error));
  const text = state.filter.toLowerCase();
  const shown = data.keys.filter((key) => `${key.id} ${key.name} ${key.prefix} ${key.plan}`.toLowerCase().includes(text));
  const rows = shown.map((key) => [
    cell(key.id, "number"), cell(key.name), cell(h("code", null, `${key.prefix}…${key.last4}`)),
    cell(`${key.plan}: ${number(key.per_minute)} a minute, ${number(key.per_day)} a day`), cell(key.access),
    cell(local(key.last_used_at)), cell(key.banned_until ? h("span", { class: "bad" }, `banned until ${local(key.banned_until)}`) : key.strikes ? `${key.strikes} ${key.strikes === 1 ? "strike" : "strikes"}` : "", ""),
    cell(h(KeyButtons, { item: key, scopes: settings.scopes })),
  ]);
  return h("section", { class: "wide" }, h("h2", null, "API keys"),
    h("div", { class: "row", style: "margin-bottom:.6rem" },
      h("button", { onClick: () => update({ dialog: { command: "create" } }) }, "Create a key"),
      h("input", { type: "search", placeholder: "Find by name, prefix, plan", size: 28, value: state.filter, onInput: (event) => update({ filter: event.target.value }) })),
    h(Table, { heads: ["#id", "name", "secret", "limits", "access", "last use", "ban", ""], rows, none: "No key fits.", stacks: true }),
    data.more > 0 && h("p", { class: "soft" }, `${number(data.more)} more keys are not shown; the command keys finds them.`));
}

function Message({ message }) {
  if (!message) return null;
  const close = h("button", { onClick: () => update({ message: null }) }, "Close");
  if (message.secret) return h("div", { class: "message" }, h("p", null, `The secret of key ${message.secret.id}, which is not shown again:`), h("pre", { id: "secret" }, message.secret.key), close);
  return h("div", { class: `message ${message.error ? "bad" : "good"}`, role: "status" }, message.error ?? message.text, " ", close);
}

function Details({ data }) {
  const window = (name) => `${number(data[name].used)} of ${number(data[name].limit)}, resets ${local(data[name].resets_at)}`;
  const secret = (it) => h("div", null, h("code", null, `${it.prefix}…${it.last4}`), it.expired ? " expired" : it.expires_at ? ` accepted until ${local(it.expires_at)}` : " accepted");
  const rows = [
    ["name", data.name], ["plan", data.plan], ["access", data.access], ["scopes", data.scopes ? data.scopes.join(" ") || "none" : "all"],
    ["used this minute", window("minute")], ["used today", window("day")], ["last use", local(data.last_used_at) || "never"],
    ["ban", data.banned_until ? `until ${local(data.banned_until)}` : "none"], ["strikes", data.strikes], ["secrets", data.secrets.map(secret)], ["created", local(data.created_at)],
  ];
  return h("dl", { style: "margin-bottom:1rem" }, rows.flatMap(([name, value]) => [h("dt", null, name), h("dd", null, value)]));
}

// The dialog of a command: its fields become the words of the command line.
function Dialog({ dialog, settings }) {
  if (!dialog) return null;
  const { command, id, data } = dialog;
  const chosen = settings.plans.find((plan) => plan.name === (dialog.plan ?? data?.plan ?? settings.default_plan));
  const field = (label, input) => h("label", null, label, input);
  const choose = (event) => update({ dialog: { ...dialog, plan: event.target.value } });
  const plans = () => field("Plan", h("select", { name: "plan", onChange: choose }, settings.plans.map((plan) => h("option", { value: plan.name, selected: plan === chosen }, plan.name + (plan.custom ? " (own limits)" : "")))));
  // Only a key of a plan without limits has limits of its own.
  const own = (name, text, window) => field(text, h("input", { name, type: "number", min: 1, required: true, defaultValue: data?.plan === chosen.name ? data[window].limit : "" }));
  const limits = () => chosen?.custom && [own("per-minute", "Requests a minute", "minute"), own("per-day", "Requests a day", "day")];
  const scopes = (hint) => settings.scopes.length > 0 && field(`Scopes, separated by spaces (${settings.scopes.join(" ")}); ${hint}`, h("input", { name: "scopes", defaultValue: data ? data.scopes?.join(" ") ?? "*" : "" }));
  const forms = {
    create: ["Create a key", [field("Name", h("input", { name: "name", required: true, maxLength: 100 })), plans(), limits(), field("Access", h("select", { name: "access" }, h("option", null, "write"), h("option", null, "read"))), scopes("none: all")]],
    "set-plan": [`Change the plan of key ${id}`, [plans(), limits()]],
    "set-scopes": [`Change the scopes of key ${id}`, [scopes("* for all, none for no scope")]],
    rotate: [`Give key ${id} a new secret`, [field("The old one is accepted for", h("input", { name: "overlap", defaultValue: "24h", required: true }))]],
    revoke: [`Revoke key ${id} with all of its secrets? This cannot be undone.`, []],
    show: [`Key ${id}`, []],
  };
  const [title, fields] = forms[command];
  const submit = (event) => {
    event.preventDefault();
    const given = Object.fromEntries(new FormData(event.target));
    const words = [command, ...(id === undefined ? [] : [String(id)])];
    const names = Object.keys(given).filter((name) => name !== "scopes" && given[name] !== "");
    // One word each, so that no value is read as a flag.
    words.push(...names.map((name) => `--${name}=${given[name]}`));
    const list = (given.scopes ?? "").split(/\s+/).filter(Boolean);
    if (command === "set-scopes" && list[0] === "*") words.push("--all-scopes");
    else if (command === "set-scopes" && !list.length) words.push("--no-scopes");
    else words.push(...list.map((scope) => `--scope=${scope}`));
    run(words);
  };
  const cancel = h("button", { type: "button", onClick: () => update({ dialog: null }) }, command === "show" ? "Close" : "Cancel");
  const body = command === "show"
    ? [h(Details, { data }), cancel]
    : [fields, dialog.error && h("p", { class: "bad", role: "alert" }, dialog.error), h("div", { class: "row" }, h("button", { class: command === "revoke" ? "danger" : "" }, "OK"), cancel)];
  return h("dialog", { key: `${command} ${id}`, ref: (it) => it && !it.open && it.showModal(), onClose: () => update({ dialog: null }) }, h("form", { onSubmit: submit, style: "display:block" }, h("h2", null, title), body));
}

function Store({ now }) {
  const show = (name, value) => name.endsWith("bytes") ? size(value) : typeof value === "number" ? number(value) : value;
  const rows = Object.entries(now.store).map(([name, value]) => h("div", null, h("dt", null, name.replace(/_bytes$/, "").replaceAll("_", " ")), h("dd", null, show(name, value))));
  return h("section", { class: "wide" }, h("h2", null, "Store and disk"), h("dl", { class: "wrapped" }, rows));
}

function Page() {
  const { now } = state;
  if (!now) return h("header", null, h("h1", null, "Connecting…"));
  const period = (name, text) => h("button", { "aria-pressed": String(state.period === name), onClick: () => update({ period: name }) }, text);
  return [
    h("header", null, h("h1", null, now.service), h("span", { class: "soft" }, now.server), h("span", { class: state.live ? "good" : "bad" }, state.live ? "live" : "connection lost"),
      h("div", { class: "row" }, period("hour", "Last hour"), period("day", "Last day"))),
    h("main", null,
      h("section", { class: "wide" }, h(Chart, { minutes: now.minutes })),
      h(Requests, { counts: now[state.period] }),
      h(Deprecated, { data: state.deprecated }),
      h(Store, { now }),
      h("div", { style: "display:contents" }, state.message && h("section", { class: "wide" }, h(Message, { message: state.message })), h(Keys, { data: state.keys, settings: now.settings })),
      h("section", { class: "wide" }, h("h2", null, "Log"), state.log.length ? h("pre", { id: "log" }, state.log.slice().reverse().map(plain).join("\n")) : h("p", { class: "soft" }, "No lines yet."))),
    h(Dialog, { dialog: state.dialog, settings: now.settings }),
  ];
}

update({});
listen();
refresh();
setInterval(refresh, REFRESH);
