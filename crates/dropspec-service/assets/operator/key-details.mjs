// What there is to know of a key: its settings, usage and last requests.
import { h } from "./preact.mjs";
import { Select, Table, Time, cell, duration, number, plural } from "./parts.mjs";

export function Details({ data }) {
  const window = (usage) => usage ? known(usage) : data.usage_error ? `cannot be read: ${data.usage_error}` : `counted by Redis at ${data.counted_in}`;
  const known = ({ used, reserved, limit, resets_at }) => [`${number(used)} of ${number(limit)}${reserved ? `, ${number(reserved)} more reserved by servers` : ""}, until `, h(Time, { at: resets_at })];
  const secret = (it) => h("div", null, h("code", null, `${it.prefix}…${it.last4}`), " ",
    it.expired ? "expired" : it.expires_at ? ["accepted until ", h(Time, { at: it.expires_at })] : "accepted");
  const rows = [
    ["plan", `${data.plan}: ${number(data.per_minute)} a minute, ${number(data.per_day)} a day`], ["access", data.access], ["scopes", data.scopes ? data.scopes.join(" ") || "none" : "all"],
    ["used this minute", window(data.minute)], ["used today (UTC)", window(data.day)], ["last use", data.last_used_at ? h(Time, { at: data.last_used_at }) : "none stored"],
    ["ban", data.banned_until ? ["until ", h(Time, { at: data.banned_until })] : "none"], ["strikes", data.strikes], ["secrets", data.secrets.map(secret)],
    ["created", h(Time, { at: data.created_at })], [data.expired ? "expired" : "expires", data.expires_at ? h(Time, { at: data.expires_at }) : "never"], ["note", data.note || "none"], ...(data.revoked_at ? [["revoked", h(Time, { at: data.revoked_at })]] : []),
  ];
  return [
    h("dl", { class: "wrapped" }, rows.map(([name, value]) => h("div", { key: name }, h("dt", null, name), h("dd", null, value)))),
    h("p", { class: "soft" }, "Usage is that in the database: servers reserve requests in advance, at most a tenth of a limit, and a few of the latest are missing. The last use is stored every ten minutes."),
  ];
}

const CLASSES = [["", "All statuses"], ["2", "2xx"], ["3", "3xx"], ["4", "4xx"], ["5", "5xx"]];
const TIMES = [["", "All times"], ["300", "Last 5 minutes"], ["3600", "Last hour"], ["86400", "Last day"]];
export const ALL_REQUESTS = { status: "", operation: "", seconds: "" };

// The requests that this server remembers. `filter` chooses some of them, at `now` in seconds since 1970.
export function Requests({ data, filter, server, now, onFilter }) {
  if (!data) return h("p", { class: "soft" }, "Loading…");
  if (data.error) return h("p", { class: "soft" }, data.error);
  const { requests, most, started } = data;
  const seen = (name) => [...new Set(requests.map((it) => String(it[name])))].sort().map((it) => [it, it]);
  // A choice stays possible when the last request that it fits has left.
  const options = (all, found, value) => [...all, ...found, ...([...all, ...found].some(([it]) => it === value) ? [] : [[value, value]])];
  const choose = (name, label, all) => h(Select, { label, value: filter[name], options: all, onChange: (value) => onFilter({ ...filter, [name]: value }) });
  const found = requests.filter((it) => String(it.status).startsWith(filter.status) && (!filter.operation || it.operation === filter.operation)
    && (!filter.seconds || Date.parse(it.time) / 1000 >= now - filter.seconds));
  const rows = found.map((it) => ({ key: it.request_id, cells: [
    cell(h(Time, { at: it.time })), cell(h("code", null, it.path ? `${it.method ?? ""} ${it.path}` : it.operation)), cell(it.operation),
    cell(h("span", { class: it.status >= 500 ? "bad" : it.status >= 400 ? "warn" : "good" }, it.status)), cell(it.code && h("code", null, it.code)), cell(duration(it.duration_us)), cell(h("code", { class: "soft" }, it.request_id)),
  ] }));
  return [
    h("div", { class: "row tools" },
      choose("status", "Status", options(CLASSES, seen("status"), filter.status)),
      choose("operation", "Operation", options([["", "All operations"]], seen("operation"), filter.operation)),
      choose("seconds", "Time", TIMES),
      h("span", { class: "soft" }, `${number(found.length)} of ${plural(requests.length, "request")}`)),
    h("div", { class: "list", tabIndex: 0, role: "region", "aria-label": "Requests of the key" },
      h(Table, { label: "Requests of the key", kind: "stacks", heads: ["time", "request", "operation", "status", "error", "#took", "request id"], rows, none: requests.length ? "No request fits." : "No request yet." })),
    h("p", { class: "soft" }, `The newest first: at most ${most} requests of the key that ${server} answered since it started on `, h(Time, { at: started * 1000 }), ". Other servers remember their own."),
  ];
}
