// How a page speaks to its server: addresses below the root, changes with the session's token.

const meta = (name) => document.querySelector(`meta[name="${name}"]`)?.content ?? "";

export const root = meta("root");
export const csrf = meta("csrf");

// Sends a change; a refusal becomes an Error with the server's own sentence.
export async function send(method, path, body) {
  const answer = await fetch(root + path, {
    method,
    headers: { "Content-Type": "application/json", "X-CSRF-Token": csrf },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  const document = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new Error(document.error ?? `The server answered ${answer.status}.`);
  return document;
}
