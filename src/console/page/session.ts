// The page's half of a session. The other half is a cookie that scripts can't read; neither is good alone.

/** What the console's server answered: its sentence where it said no; without a status where it didn't answer. */
export type Answered =
  | { readonly ok: true; readonly data: unknown }
  | { readonly ok: false; readonly status: number | undefined; readonly why: string }

/** What of a browser's window tells its address and changes it. */
type Addressed = {
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
  const answered = await post("session", { secret })
  if (answered.ok) {
    // The answer is a record with a proof; anything else fails at the next call.
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

/** Longer than the server takes to say that it can't reach the vault. */
const longestAnswerMs = 40_000

/** Calls the server. An answer that can't be had or read is a "no" with a sentence, too. */
export async function post(
  name: "session" | "look" | "history" | "record" | "freeze" | "held" | "weigh" | "decide" | "end",
  body: object,
): Promise<Answered> {
  const proof = proofOfSession()
  try {
    const response = await fetch(`/${name}`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        ...(proof !== undefined && { "countersign-console": proof }),
      },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(longestAnswerMs),
    })
    const content: unknown = await response.json()
    if (response.ok) return { ok: true, data: content }
    return { ok: false, status: response.status, why: (content as { readonly why: string }).why }
  } catch {
    return { ok: false, status: undefined, why: unreachable }
  }
}

const unreachable = "The console doesn't answer; is countersign console still running?"
