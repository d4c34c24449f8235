// The API keys: their list, and a dialog for each key command. The panel runs commands given as words of the command line.
import { h } from "./preact.mjs";
import { Unreachable, post } from "./server.mjs";
import { Table, Time, cell, number, plural } from "./parts.mjs";

const DONE = {
  "set-plan": (words) => `has the plan ${words.find((it) => it.startsWith("--plan=")).slice("--plan=".length)} now`,
  "set-scopes": () => "has the chosen scopes now", unban: () => "may send again: its ban and its strikes are cleared", revoke: () => "is revoked",
};

// A message about success leaves by itself after this time, in milliseconds.
const MESSAGE_TIME = 8000;

const nameOf = (key) => `key ${key.id}, ${key.name}`;

const SHOWN = { all: "All keys", used: "Not revoked", banned: "Banned, or with strikes", revoked: "Revoked" };
const isShown = { all: () => true, used: (key) => !key.revoked_at, banned: (key) => key.banned_until || key.strikes > 0, revoked: (key) => key.revoked_at };

// `state` is that of the page: the list, what is shown of it, and the open dialog.
export function Keys({ state, update, refresh, settings }) {
  const { keys: data, filter, shown, dialog } = state;
  const tell = (message) => {
    update({ message });
    if (!message.error) setTimeout(() => update((state) => state.message === message ? { message: null } : {}), MESSAGE_TIME);
  };

  async function run(words) {
    try {
      const result = await post("/operator/keys", words);
      if (result.key) return update({ dialog: { ...state.dialog, command: "secret", id: result.id, data: result, error: null } });
      closeDialog();
      const name = nameOf(data.keys.find((key) => String(key.id) === words[1]) ?? { id: words[1], name: "" });
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

  // Opens the dialog of a command with what there is to know of the key.
  async function open(command, id) {
    try {
      update({ message: null, dialog: { command, id, data: await post("/operator/keys", ["show", String(id)]) } });
    } catch (error) {
      tell({ error: error.message });
    }
  }

  if (!data) return h("p", { class: "soft" }, "Loading…");
  if (data.error) return h("p", { class: "soft" }, data.error);
  const text = filter.toLowerCase();
  const fits = (key) => isShown[shown](key) && `${key.id} ${key.name} ${key.secrets.map((it) => it.prefix).join(" ")} ${key.plan}`.toLowerCase().includes(text);
  const rows = data.keys.filter(fits).map((key) => ({ key: key.id, cells: [
    cell(key.id), cell(key.name), cell(h("code", null, `${key.prefix}…${key.last4}`)),
    cell(`${key.plan}: ${number(key.per_minute)} a minute, ${number(key.per_day)} a day`), cell(key.access),
    cell(key.last_used_at ? h(Time, { at: key.last_used_at }) : "none stored"), cell(h(Ban, { item: key })),
    cell(h(KeyButtons, { item: key, settings, open, run })),
  ] }));
  return [
    h("div", { class: "row", style: "margin-bottom:.6rem" },
      h("button", { onClick: () => update({ message: null, dialog: { command: "create" } }) }, "Create a key"),
      h("input", { type: "search", "aria-label": "Find keys", placeholder: "Find by name, prefix, plan", size: 28, value: filter, onInput: (event) => update({ filter: event.target.value }) }),
      h("select", { "aria-label": "Which keys are shown", onChange: (event) => update({ shown: event.target.value }) },
        Object.entries(SHOWN).map(([value, name]) => h("option", { value, selected: value === shown }, name)))),
    h(Table, { label: "API keys", kind: "stacks", rows, heads: ["#id", "name", "secret", "limits", "access", "last use", "ban", ""],
      none: data.keys.length ? "No key fits." : "There is no key yet." }),
    data.more > 0 && h("p", { class: "soft" }, `${plural(data.more, "more key")} not shown; the command keys finds them.`),
    dialog && h(Dialog, { key: "dialog", dialog, settings, update, run }),
  ];
}

// The browser then gives the focus back to where it was.
function closeDialog() {
  document.querySelector("dialog[open]")?.close();
}

function Ban({ item }) {
  if (item.banned_until) return h("span", { class: "bad" }, "banned until ", h(Time, { at: item.banned_until }));
  return item.strikes ? plural(item.strikes, "strike") : "none";
}

function KeyButtons({ item, settings, open, run }) {
  const { id } = item;
  const button = (text, onClick, kind) => h("button", { class: kind, "aria-label": `${text} key ${id}, ${item.name}`, onClick }, text);
  const command = (name, text, kind) => button(text, () => open(name, id), kind);
  if (item.revoked_at) return h("div", { class: "row" }, command("show", "Show"), h("span", { class: "soft" }, "revoked ", h(Time, { at: item.revoked_at })));
  return h("div", { class: "row" },
    command("show", "Show"), command("set-plan", "Plan"), settings.scopes.length > 0 && command("set-scopes", "Scopes"), command("rotate", "Rotate"),
    (item.banned_until || item.strikes > 0) && button(item.banned_until ? "Unban" : "Clear strikes", () => run(["unban", String(id)])), command("revoke", "Revoke", "danger"));
}

function Details({ data }) {
  const window = (name) => [`${number(data[name].used)} of ${number(data[name].limit)}, resets `, h(Time, { at: data[name].resets_at })];
  const secret = (it) => h("div", null, h("code", null, `${it.prefix}…${it.last4}`), " ",
    it.expired ? "expired" : it.expires_at ? ["accepted until ", h(Time, { at: it.expires_at })] : "accepted");
  const rows = [
    ["name", data.name], ["plan", data.plan], ["access", data.access], ["scopes", data.scopes ? data.scopes.join(" ") || "none" : "all"],
    ["counted this minute", window("minute")], ["counted today (UTC)", window("day")], ["last use", data.last_used_at ? h(Time, { at: data.last_used_at }) : "none stored"],
    ["ban", data.banned_until ? ["until ", h(Time, { at: data.banned_until })] : "none"], ["strikes", data.strikes], ["secrets", data.secrets.map(secret)],
    ["created", h(Time, { at: data.created_at })], ...(data.revoked_at ? [["revoked", h(Time, { at: data.revoked_at })]] : []),
  ];
  return [
    h("dl", { style: "margin-bottom:1rem" }, rows.flatMap(([name, value]) => [h("dt", null, name), h("dd", null, value)])),
    h("p", { class: "soft" }, "Counts are those in the database: with requests that servers have reserved in advance (at most a tenth of a limit), and without a few of the latest. The last use is stored every ten minutes."),
  ];
}

// The only place that shows a secret. Escape closes it only at the second time if nothing was copied.
function Secret({ data, copied, update }) {
  const set = (changes) => update((state) => ({ dialog: { ...state.dialog, ...changes } }));
  const copy = async () => {
    const field = document.getElementById("secret");
    try {
      await navigator.clipboard.writeText(data.key);
      set({ copied: "yes" });
    } catch {
      // Browsers have no clipboard for pages over plain HTTP of another machine, but this.
      field.focus();
      field.select();
      set({ copied: document.execCommand("copy") ? "yes" : "no" });
    }
  };
  const said = { yes: "Copied.", no: "The browser does not copy; select the secret and press Ctrl+C.", asked: "The secret is not copied. Press Escape again to close." }[copied];
  return [
    h("p", null, h("strong", null, "Copy the secret now: it is not shown again.")),
    h("div", { class: "row" },
      h("input", { id: "secret", class: "secret", readOnly: true, value: data.key, "aria-label": "Secret", onFocus: (event) => event.target.select() }),
      h("button", { type: "button", autofocus: true, onClick: copy }, copied === "yes" ? "Copied" : "Copy")),
    h("p", { class: copied === "yes" ? "good" : "bad", role: "status" }, said ?? "\u00a0"),
    data.old_accepted_until && h("p", null, "The old secret is accepted until ", h(Time, { at: data.old_accepted_until }), "."),
    h("button", { type: "button", onClick: closeDialog }, "Close"),
  ];
}

function Scopes({ dialog, settings, update, hint }) {
  if (!settings.scopes.length) return null;
  const granted = dialog.data?.scopes;
  const all = dialog.all ?? !granted;
  const choose = (event) => update({ dialog: { ...dialog, all: event.target.checked } });
  const scope = (name) => h("label", { class: "check" }, h("input", { type: "checkbox", name: "scope", value: name, disabled: all, defaultChecked: granted?.includes(name) }), name);
  return h("fieldset", null, h("legend", null, "Scopes"),
    h("label", { class: "check" }, h("input", { type: "checkbox", name: "all", checked: all, onChange: choose }), "All, also those that the document will declare later"),
    settings.scopes.map(scope), !all && h("small", { class: "soft" }, hint));
}

// The dialog of a command: its fields become the words of the command line.
function Dialog({ dialog, settings, update, run }) {
  const { command, id, data } = dialog;
  const chosen = settings.plans.find((plan) => plan.name === (dialog.plan ?? data?.plan ?? settings.default_plan));
  const field = (label, input) => h("label", null, label, input);
  const choose = (event) => update({ dialog: { ...dialog, plan: event.target.value } });
  const plans = () => field("Plan", h("select", { name: "plan", onChange: choose }, settings.plans.map((plan) => h("option", { value: plan.name, selected: plan === chosen }, plan.name + (plan.custom ? " (own limits)" : "")))));
  // Only a key of a plan without limits has limits of its own.
  const own = (name, text, window) => field(text, h("input", { name, type: "number", min: 1, required: true, defaultValue: data?.plan === chosen.name ? data[window].limit : "" }));
  const limits = () => chosen?.custom && [own("per-minute", "Requests a minute", "minute"), own("per-day", "Requests a day", "day")];
  const scopes = (hint) => h(Scopes, { dialog, settings, update, hint });
  const note = (text) => h("p", null, text);
  const name = nameOf({ id, name: data?.name });
  const forms = {
    create: ["Create a key", "Create", () => [field("Name", h("input", { name: "name", required: true, maxLength: 100, autofocus: true, autocomplete: "off" })), plans(), limits(),
      field("Access", h("select", { name: "access" }, h("option", { value: "write" }, "write: all operations"), h("option", { value: "read" }, "read: only operations that change nothing"))), scopes("Choose at least one.")]],
    "set-plan": [`Change the plan of ${name}`, "Change", () => [plans(), limits()]],
    "set-scopes": [`Change the scopes of ${name}`, "Change", () => [scopes("Without any, the key may call operations that need no scope.")]],
    rotate: [`Give ${name}, a new secret`, "Rotate", () => [field("The old one is accepted for (such as 24h, 90m, 7d; 0s ends it at once)", h("input", { name: "overlap", defaultValue: "24h", required: true, autocomplete: "off" }))]],
    revoke: [`Revoke ${name}?`, "Revoke", () => [note(`All secrets of ${data.name} stop working at once. This cannot be undone.`)]],
    show: [`Key ${id}, ${data?.name}`],
    secret: [data?.old_accepted_until === null ? `Key ${id} is created` : `Key ${id} has a new secret`],
  };
  const [title, action, fields] = forms[command];
  const submit = (event) => {
    event.preventDefault();
    const form = new FormData(event.target);
    const list = form.getAll("scope");
    const words = [command, ...(id === undefined ? [] : [String(id)])];
    // One word each, so that no value is read as a flag.
    for (const [name, value] of form) if (!["scope", "all"].includes(name) && value !== "") words.push(`--${name}=${value}`);
    if (command === "set-scopes" && form.has("all")) words.push("--all-scopes");
    else if (command === "set-scopes" && !list.length) words.push("--no-scopes");
    else if (command === "create" && settings.scopes.length && !form.has("all") && !list.length) return update({ dialog: { ...dialog, error: "Choose at least one scope, or all." } });
    else words.push(...list.map((scope) => `--scope=${scope}`));
    run(words);
  };
  const close = h("button", { type: "button", autofocus: ["show", "revoke"].includes(command), onClick: closeDialog }, action ? "Cancel" : "Close");
  const bodies = {
    show: () => [h(Details, { data }), close],
    secret: () => h(Secret, { data, copied: dialog.copied, update }),
  };
  const body = bodies[command] ?? (() => [fields(), dialog.error && h("p", { class: "bad", role: "alert" }, dialog.error),
    h("div", { class: "row" }, h("button", { class: command === "revoke" ? "danger" : "main" }, action), close)]);
  // Not the event `cancel`, which browsers do not always let a page prevent.
  const onKeyDown = (event) => {
    if (event.key !== "Escape" || command !== "secret" || dialog.copied) return;
    event.preventDefault();
    update({ dialog: { ...dialog, copied: "asked" } });
  };
  // The element stays while its content changes, so that the focus returns to where it was before.
  const show = (it) => it && !it.open && it.showModal();
  return h("dialog", { ref: show, "aria-labelledby": "dialog-title", onKeyDown, onClose: () => update({ dialog: null }) },
    h("form", { key: `${command} ${id}`, onSubmit: submit, ref: (it) => it?.querySelector("[autofocus]")?.focus() }, h("h2", { id: "dialog-title" }, title), body()));
}
