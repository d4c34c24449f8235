// The numbers at the top of the page, and the plans.
import { h } from "./preact.mjs";
import { Table, cell, duration, number, plural } from "./parts.mjs";

export const NO_KEY = "without a valid key";
export const FURTHER_KEYS = "further keys";

// Of the current minute and the one before, so that it does not fall to 0 each minute.
function requestsPerSecond({ hour, now, started }) {
  const requests = hour.slots.slice(-2).flat().reduce((sum, count) => sum + count, 0);
  const begin = Math.max(hour.start + (hour.slots.length - 2) * hour.step, started);
  return requests / Math.max(now - begin, 1);
}

const share = (count, all) => all ? `${(count / all * 100).toFixed(count && count / all < .1 ? 2 : 1)} %` : "0 %";

export function Headline({ now, period, last, keys, onBanned }) {
  const { slots, counts, all } = now[period];
  const [ok, refused, failed] = [0, 1, 2].map((kind) => slots.reduce((sum, slot) => sum + slot[kind], 0));
  const requests = ok + refused + failed;
  const senders = new Set(counts.map((it) => it.key));
  senders.delete(NO_KEY);
  const known = keys?.counts;
  const rate = requestsPerSecond(now);
  const banned = known?.banned ?? 0;
  const item = (name, value, more, kind) => h("div", null, h("dt", null, name), h("dd", { class: `figure ${kind ?? ""}` }, value), h("dd", { class: "soft" }, more));
  return h("dl", { class: "headline", "aria-label": "Headline numbers" },
    item("requests a second", rate < 100 ? rate.toFixed(1) : number(Math.round(rate)), "in the last 1 to 2 minutes"),
    item("requests", number(requests), `in ${last}`),
    item("failed (5xx)", share(failed, requests), plural(failed, "request"), failed ? "bad" : ""),
    item("refused (4xx)", share(refused, requests), `${plural(refused, "request")}, also not found`),
    item("p99 of operations", all.requests ? duration(all.p99) : "–", all.requests ? `p50 ${duration(all.p50)}` : `no request in ${last}`),
    item("keys in use", senders.has(FURTHER_KEYS) ? `over ${number(senders.size)}` : number(senders.size), known ? `of ${number(known.used)} that may send` : " "),
    known && item("keys banned now", number(banned), h("button", { onClick: onBanned }, "Show bans and strikes"), banned ? "bad" : ""));
}

export const limitsOf = (plan) => plan.custom ? "limits of its own for each key" : `${number(plan.per_minute)} a minute, ${number(plan.per_day)} a day`;

export function Plans({ plans, keys }) {
  const rows = plans.map((plan) => ({ key: plan.name, cells: [
    cell(plan.name), ...(plan.custom ? ["own", "own"] : [number(plan.per_minute), number(plan.per_day)]).map((it) => cell(it)),
    cell(keys?.counts ? number(keys.counts.plans[plan.name] ?? 0) : ""),
  ] }));
  return h(Table, { label: "Plans", kind: "stacks times", heads: ["plan", "#requests a minute", "#requests a day (UTC)", "#keys"], rows, none: "The document has no plans." });
}
