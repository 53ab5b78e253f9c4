// The page's half of a session. The other half is a cookie that scripts can't read; neither is good alone.

/** What the gate answered: its sentence where it said no. */
export type Answered =
  { readonly ok: true; readonly data: unknown } | { readonly ok: false; readonly why: string }

type Envelope = { readonly msg: string; readonly data: unknown }

/** What of a browser's window tells its address and changes it. */
export type Addressed = {
  readonly location: { readonly hash: string; readonly pathname: string }
  readonly history: { replaceState(state: null, unused: string, address: string): void }
}

/** Of this tab alone, and of this port alone. */
const storedAs = "countersign-proof"

/** The secret of a link, taken out of the address bar and this tab's history for good; `undefined` where there is none. */
export function takeSecret({ location, history }: Addressed): string | undefined {
  const secret = location.hash.slice(1)
  // A short one is a place on the page.
  if (secret.length < 20) return undefined
  history.replaceState(null, "", location.pathname)
  return secret
}

/** Uses a link up; from then on {@link proofOfSession} has the proof. */
export async function openSession(secret: string): Promise<Answered> {
  // The gate takes no proof here, and one of an earlier session may be left.
  const answered = await send("session", { secret }, {})
  if (answered.ok) {
    // The gate's answer is a record with a proof; anything else fails at the next call.
    const { proof } = answered.data as { readonly proof: string }
    sessionStorage.setItem(storedAs, proof)
  }
  return answered
}

/** The proof of the session that this tab has, if it has one. */
export function proofOfSession(): string | undefined {
  return sessionStorage.getItem(storedAs) ?? undefined
}

/** Forgets the session, as far as the page can. */
export function forgetSession(): void {
  sessionStorage.removeItem(storedAs)
}

/** The headers that go with each call of a session. */
export function sessionHeaders(): Readonly<Record<string, string>> {
  const proof = proofOfSession()
  return proof === undefined ? {} : { "Countersign-Console": proof }
}

/** Sends a call of the session. An answer that can't be had or read is a "no" with a sentence, too. */
export function post(name: "freeze" | "end", body: object): Promise<Answered> {
  return send(name, body, sessionHeaders())
}

async function send(
  name: string,
  body: object,
  headers: Readonly<Record<string, string>>,
): Promise<Answered> {
  try {
    const response = await fetch(`/console/${name}`, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
    })
    const { msg, data } = (await response.json()) as Envelope
    return response.ok ? { ok: true, data } : { ok: false, why: msg }
  } catch {
    return { ok: false, why: "The daemon doesn't answer; is it running?" }
  }
}
