// A dialog for each key command, which becomes words of the command line, and one that shows a key.
import { h } from "./preact.mjs";
import { Time } from "./parts.mjs";
import { Changes } from "./changes.mjs";
import { ALL_REQUESTS, Details, Requests } from "./key-details.mjs";
import { limitsOf } from "./overview.mjs";

export const nameOf = (key) => `key ${key.id}, ${key.name}`;

// The browser then gives the focus back to where it was.
export function closeDialog() {
  document.querySelector("dialog[open]")?.close();
}

// The same function each time, so that it runs when a dialog opens and not at each change of the page.
const focusFirst = (form) => form?.querySelector("[autofocus]")?.focus();
const openDialog = (dialog) => dialog && !dialog.open && dialog.showModal();

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
export function Dialog({ dialog, state, update, run }) {
  const { settings, server, now } = state.now;
  const { command, id, data } = dialog;
  const chosen = settings.plans.find((plan) => plan.name === (dialog.plan ?? data?.plan ?? settings.default_plan));
  const field = (label, input) => h("label", null, label, input);
  const choose = (event) => update({ dialog: { ...dialog, plan: event.target.value } });
  const plans = () => field("Plan", h("select", { name: "plan", onChange: choose }, settings.plans.map((plan) => h("option", { value: plan.name, selected: plan === chosen }, `${plan.name}: ${limitsOf(plan)}`))));
  // Only a key of a plan without limits has limits of its own.
  const own = (name, text, window) => field(text, h("input", { name, type: "number", min: 1, required: true, defaultValue: data?.plan === chosen.name ? data[`per_${window}`] : "" }));
  const limits = () => chosen?.custom && [own("per-minute", "Requests a minute", "minute"), own("per-day", "Requests a day", "day")];
  const scopes = (hint) => h(Scopes, { dialog, settings, update, hint });
  const text = (label, name, value, more) => field(label, h("input", { name, defaultValue: value, autocomplete: "off", ...more }));
  const access = () => field("Access", h("select", { name: "access" }, [["write", "write: all operations"], ["read", "read: only operations that change nothing"]].map(([value, label]) =>
    h("option", { value, selected: value === data?.access }, label))));
  // What `change` sets, and `create` may set.
  const more = () => [access(), text("Expires (a date such as 2027-01-01, a duration such as 90d, or never)", "expires", data?.expires_at ?? "never"),
    text("Note", "note", data?.note ?? "", { maxLength: 500 })];
  const key = () => text("Name", "name", data?.name ?? "", { required: true, maxLength: 100, autofocus: true });
  const name = nameOf({ id, name: data?.name });
  const forms = {
    create: ["Create a key", "Create", () => [key(), plans(), limits(), more(), scopes("Choose at least one.")]],
    change: [`Change ${name}`, "Change", () => [key(), more()]],
    "set-plan": [`Change the plan of ${name}`, "Change", () => [plans(), limits()]],
    "set-scopes": [`Change the scopes of ${name}`, "Change", () => [scopes("Without any, the key may call operations that need no scope.")]],
    rotate: [`Give ${name}, a new secret`, "Rotate", () => [field("The old one is accepted for (such as 24h, 90m, 7d; 0s ends it at once)", h("input", { name: "overlap", defaultValue: "24h", required: true, autocomplete: "off" }))]],
    revoke: [`Revoke ${name}?`, "Revoke", () => h("p", null, `All secrets of ${data.name} stop working at once. This cannot be undone.`)],
    show: [`Key ${id}, ${data?.name}`],
    secret: [data?.secrets.length === 1 ? `Key ${id} is created` : `Key ${id} has a new secret`],
  };
  const [title, action, fields] = forms[command];
  const submit = (event) => {
    event.preventDefault();
    if (!action) return;
    const form = new FormData(event.target);
    const list = form.getAll("scope");
    const words = [command, ...(id === undefined ? [] : [String(id)])];
    // What a key has already; it is not changed.
    const before = command === "change" ? { name: data.name, access: data.access, expires: data.expires_at ?? "never", note: data.note ?? "" } : { expires: "never", note: "" };
    // One word each, so that no value is read as a flag.
    for (const [name, value] of form) if (!["scope", "all"].includes(name) && value !== (before[name] ?? "")) words.push(`--${name}=${value}`);
    if (command === "set-scopes" && form.has("all")) words.push("--all-scopes");
    else if (command === "set-scopes" && !list.length) words.push("--no-scopes");
    else if (command === "create" && settings.scopes.length && !form.has("all") && !list.length) return update({ dialog: { ...dialog, error: "Choose at least one scope, or all." } });
    else words.push(...list.map((scope) => `--scope=${scope}`));
    run(words);
  };
  const close = h("button", { type: "button", autofocus: ["show", "revoke"].includes(command), onClick: closeDialog }, action ? "Cancel" : "Close");
  const bodies = {
    show: () => [
      h(Details, { data }), h("h3", null, "Requests"),
      h(Requests, { data: state.requests, filter: dialog.filter ?? ALL_REQUESTS, server, now, onFilter: (filter) => update({ dialog: { ...dialog, filter } }) }),
      h("h3", null, "Changes"), h(Changes, { data: state.keyChanges, find: "" })],
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
  return h("dialog", { ref: openDialog, class: command === "show" ? "wide" : "", "aria-labelledby": "dialog-title", onKeyDown, onClose: () => update({ dialog: null, requests: null, keyChanges: null }) },
    h("form", { key: `${command} ${id}`, onSubmit: submit, ref: focusFirst },
      h("div", { class: "row title" }, h("h2", { id: "dialog-title" }, title), command === "show" && close), body()));
}
