// The API keys: a page of their list, and what their buttons do. The panel runs commands given as words of the command line.
import { h } from "./preact.mjs";
import { Unreachable, ask, post } from "./server.mjs";
import { Search, Select, Table, Time, cell, number, plural } from "./parts.mjs";
import { Dialog, closeDialog, nameOf } from "./key-dialog.mjs";

const DONE = {
  "set-plan": (words) => `has the plan ${words.find((it) => it.startsWith("--plan=")).slice("--plan=".length)} now`,
  change: () => "is changed", "set-scopes": () => "has the chosen scopes now", unban: () => "may send again: its ban and its strikes are cleared", revoke: () => "is revoked",
};

// A message about success leaves by itself after this time, in milliseconds.
const MESSAGE_TIME = 8000;

// What is typed is asked for after a pause of so many milliseconds.
const TYPING = 150;

// What is asked of the list, which the server finds, sorts and divides into pages.
export const QUERY = { search: "", shown: "all", sort: "id", descending: false, page: 1 };

const SHOWN = [["all", "All keys"], ["used", "Valid keys"], ["banned", "Banned, or with strikes"], ["revoked", "Revoked or expired"]];
const HEADS = ["#id", "name", "secret", "limits", "access", "last use", "state", ""];
const COLUMNS = ["id", "name", "secret", "limits", "access", "last-use", "state", null];

export const askForKeys = (query) => ask(`/operator/keys?${new URLSearchParams(query)}`);

let typing;

// `state` is that of the page: the list, what is asked of it, and the open dialog.
export function Keys({ state, update, loadKeys, refresh, open, settings }) {
  const { keys: data, query, dialog } = state;
  const tell = (message) => {
    update({ message });
    if (!message.error) setTimeout(() => update((state) => state.message === message ? { message: null } : {}), MESSAGE_TIME);
  };

  // Any other question than for a page begins at the first one.
  const look = (changes, wait = 0) => {
    update({ query: { ...query, page: 1, ...changes } });
    clearTimeout(typing);
    typing = setTimeout(loadKeys, wait);
  };
  const sortBy = (sort) => look({ sort, descending: sort === query.sort && !query.descending });

  async function run(words) {
    try {
      const result = await post("/operator/keys", words);
      if (result.key) return update({ dialog: { ...state.dialog, command: "secret", id: result.id, data: result, error: null } });
      closeDialog();
      const name = nameOf(result);
      tell({ text: `${name[0].toUpperCase()}${name.slice(1)}: it ${DONE[words[0]](words)}.` });
    } catch (error) {
      const text = error instanceof Unreachable
        ? "The server did not answer, so the command may have been carried out or not. The list of keys shows it when the connection is back."
        : error.message;
      // A dialog stays open with what was typed.
      if (state.dialog) update({ dialog: { ...state.dialog, error: text } });
      else tell({ error: text });
    } finally {
      refresh();
    }
  }

  if (!data) return h("p", { class: "soft" }, "Loading…");
  if (data.error) return h("p", { class: "soft" }, data.error);
  const rows = data.keys.map((key) => ({ key: key.id, cells: [
    cell(key.id), cell([key.name, key.note && h("div", { class: "soft" }, key.note)]), cell(h("code", null, `${key.prefix}…${key.last4}`)),
    cell([`${key.plan}: ${number(key.per_minute)} a minute, `, h("span", { class: "together" }, `${number(key.per_day)} a day`)]), cell(key.access),
    cell(key.last_used_at ? h(Time, { at: key.last_used_at }) : "none stored"), cell(h(State, { item: key })),
    cell(h(KeyButtons, { item: key, settings, open, run })),
  ] }));
  return [
    h("div", { class: "row tools" },
      h("button", { onClick: () => update({ message: null, dialog: { command: "create" } }) }, "Create a key"),
      h(Search, { label: "Find by name, note, prefix, plan", value: query.search, onInput: (search) => look({ search }, TYPING) }),
      h(Select, { label: "Which keys are shown", value: query.shown, options: SHOWN, onChange: (shown) => look({ shown }) })),
    h(Table, { label: "API keys", kind: "stacks keys", rows, heads: HEADS, sort: { columns: COLUMNS, by: query.sort, descending: query.descending, onSort: sortBy },
      none: data.counts.all ? "No key fits." : "There is no key yet." }),
    h(Pages, { data, look }),
    dialog && h(Dialog, { key: "dialog", dialog, state, update, run }),
  ];
}

function Pages({ data, look }) {
  const { page, pages, found, keys } = data;
  const last = found - data.more;
  // Not `disabled`, which would take the focus from the button at the last page.
  const turn = (text, to) => h("button", { "aria-disabled": String(to < 1 || to > pages), onClick: () => to >= 1 && to <= pages && look({ page: to }) }, text);
  return h("nav", { class: "row pages", "aria-label": "Pages of the keys" },
    pages > 1 && [turn("First", page > 1 ? 1 : 0), turn("Previous", page - 1), turn("Next", page + 1), turn("Last", page < pages ? pages : 0)],
    h("span", { class: "soft", role: "status" }, found ? `${number(last - keys.length + 1)}–${number(last)} of ${plural(found, "key")}` : ""));
}

function State({ item }) {
  if (item.revoked_at) return h("span", { class: "soft" }, "revoked ", h(Time, { at: item.revoked_at }));
  if (item.expired) return h("span", { class: "warn" }, "expired ", h(Time, { at: item.expires_at }));
  if (item.banned_until) return h("span", { class: "bad" }, "banned until ", h(Time, { at: item.banned_until }));
  if (item.strikes) return h("span", { class: "warn" }, plural(item.strikes, "strike"));
  return item.expires_at ? ["expires ", h(Time, { at: item.expires_at })] : "active";
}

function KeyButtons({ item, settings, open, run }) {
  const { id } = item;
  const button = (text, onClick, kind) => h("button", { class: kind, "aria-label": `${text} key ${id}, ${item.name}`, onClick }, text);
  const command = (name, text, kind) => button(text, () => open(name, id), kind);
  if (item.revoked_at) return h("div", { class: "row" }, command("show", "Show"));
  return h("div", { class: "row" },
    command("show", "Show"), command("change", "Edit"), command("set-plan", "Plan"), settings.scopes.length > 0 && command("set-scopes", "Scopes"), command("rotate", "Rotate"),
    (item.banned_until || item.strikes > 0) && button("Unban", () => run(["unban", String(id)])), command("revoke", "Revoke", "danger"));
}
