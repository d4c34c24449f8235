// What the page asks of the panel, and the stream of its state.

// No event for so long: the connection is dead, even if the browser has not noticed.
const SILENCE = 10_000;
const RETRY = 3_000;

// Thrown if the panel did not answer at all.
export class Unreachable extends Error {}

export async function ask(path, options) {
  let response;
  try {
    response = await fetch(path, { ...options, headers: { "X-Operator": "1", "Content-Type": "application/json" } });
  } catch {
    throw new Unreachable("The server does not answer.");
  }
  const text = await response.text();
  // The session has ended: the page is now the login.
  if (response.status === 401) location.reload();
  if (!response.ok) throw new Error(text.trim() || `The panel answers ${response.status}.`);
  return response.headers.get("Content-Type") === "application/json" ? JSON.parse(text) : text;
}

export const post = (path, body) => ask(path, { method: "POST", body: JSON.stringify(body) });

// Calls `onState` with each state, and `onLost` with a reason when the connection is lost. It connects again by itself.
export function listen(onState, onLost) {
  let events, heard;
  const connect = () => {
    heard = Date.now();
    events = new EventSource("/operator/events");
    events.addEventListener("state", (event) => {
      heard = Date.now();
      onState(JSON.parse(event.data));
    });
    events.onerror = () => {
      if (events.readyState !== EventSource.CLOSED) return onLost("The server does not answer.");
      // The panel refused. A browser does not say why, and does not try again.
      events.close();
      explain();
    };
  };
  const explain = async () => {
    const abort = new AbortController();
    try {
      await fetch("/operator/events", { headers: { "X-Operator": "1" }, signal: abort.signal }).then(async (response) => {
        if (response.status === 401) location.reload();
        if (!response.ok) onLost((await response.text()).trim());
      });
    } catch {
      onLost("The server does not answer.");
    }
    abort.abort();
    setTimeout(connect, RETRY);
  };
  connect();
  setInterval(() => {
    if (events.readyState === EventSource.CLOSED || Date.now() - heard < SILENCE) return;
    onLost("The server does not answer.");
    events.close();
    connect();
  }, 1_000);
}
