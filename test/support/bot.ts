import { assertConforms, headerMap } from "../contract/conform.ts"
import { keepOutput } from "./canaries.ts"

export type Answer = {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The body read as JSON. */
  readonly json: Envelope & Record<string, unknown>
}

type Envelope = {
  readonly code: string
  readonly msg: string
  readonly data: Record<string, unknown>
}

export type Bot = {
  get(path: string): Promise<Answer>
  post(path: string, body: unknown, headers?: Readonly<Record<string, string>>): Promise<Answer>
}

/** A bot with a token: what any HTTP client in any language does. */
export function bot(url: string, token: string): Bot {
  const ask = async (path: string, init: RequestInit): Promise<Answer> => {
    const response = await fetch(`${url}${path}`, init)
    const text = await response.text()
    keepOutput("answers over HTTP", `${JSON.stringify([...response.headers])}\n${text}\n`)
    const { status, headers } = response
    const [sent, came] = [new Headers(init.headers), headers].map((each) =>
      headerMap(Object.fromEntries(each)),
    )
    assertConforms({
      method: init.method ?? "GET",
      // As it went out: fetch resolves dots.
      path: response.url.slice(new URL(response.url).origin.length),
      asked: { headers: sent!, body: typeof init.body === "string" ? init.body : "" },
      ...{ status, headers: came!, text },
    })
    return {
      status,
      headers,
      text,
      json: JSON.parse(text) as Answer["json"],
    }
  }
  const authorization = { Authorization: `Bearer ${token}` }
  return {
    get: (path) => ask(path, { headers: authorization }),
    post: (path, body, headers = {}) =>
      ask(path, {
        method: "POST",
        headers: { ...authorization, "Content-Type": "application/json", ...headers },
        body: typeof body === "string" ? body : JSON.stringify(body),
      }),
  }
}

/** Asks once more where the machine stood still for so long that what was signed isn't given out. */
export async function unlessLate(ask: () => Promise<Answer>): Promise<Answer> {
  const answer = await ask()
  return answer.status === 503 && answer.json.msg.includes("took too long") ? ask() : answer
}

/** A limit order that keeps every rule of the interface. */
export function limitOrder(
  changes: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> {
  return {
    symbol_id: 1,
    is_buy: true,
    order_type: "limit",
    price: "63000",
    quantity: "0.1",
    ...changes,
  }
}

/** The usual order as it is sent. */
export const orderText = JSON.stringify(limitOrder())
