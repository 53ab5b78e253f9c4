import assert from "node:assert/strict"
import type { AddressInfo } from "node:net"
import type { TestContext } from "node:test"

import type { Answer, AskName } from "../../src/console/asks.ts"
import {
  type Ask,
  consoleCalls,
  type ConsoleConnections,
  maxConnections,
} from "../../src/console/serve/calls.ts"
import { consoleServer } from "../../src/console/serve/http-server.ts"
import { makeSecret, openConsoleLink, openSessions } from "../../src/console/serve/sessions.ts"
import { readAssets } from "../../src/console/serve/read-assets.ts"
import { SharedConnections } from "../../src/std/shared-connections.ts"
import { noEntries, quietStand, signedRecord } from "./console-look.ts"
import { fakeClock, type FakeClock } from "./fake-clock.ts"
import { exchange } from "./exchange.ts"
import type { HttpAsk, HttpReply } from "./gate.ts"

type Headers = NonNullable<HttpAsk["headers"]>
type Answers = { readonly [Name in AskName]: () => Answer<Name> | Error | Promise<Answer<Name>> }

/** The console's server in this process, before a command that answers what a test says. */
export type TestConsole = {
  readonly port: number
  /** The clock of links and sessions. */
  readonly clock: FakeClock
  /** What the command was asked. */
  readonly asked: readonly { readonly name: AskName; readonly params: unknown }[]
  /** Makes a link and returns its secret. */
  link(): string
  ask(ask: HttpAsk): Promise<HttpReply>
  /** Posts JSON as the page does, or with other headers than it. */
  post(path: string, body: unknown, headers?: Headers): Promise<HttpReply>
  /** Uses a link up. Returns the headers of the page's calls. */
  logIn(): Promise<Headers>
}

/** What a browser sends with a call of the page that has no session yet. */
export const pageHeaders = { "content-type": "application/json", "sec-fetch-site": "same-origin" }

/** Starts it on a free port, until the test ends. */
export async function startConsole(
  t: TestContext,
  answers: Partial<Answers> = {},
  { mayRelease }: { readonly mayRelease: boolean } = { mayRelease: false },
): Promise<TestConsole> {
  const clock = fakeClock()
  const nowMs = clock.monotonicMs
  const link = openConsoleLink(nowMs)
  const asked: { readonly name: AskName; readonly params: unknown }[] = []
  const ask = (name: AskName, params: unknown) => {
    asked.push({ name, params })
    const answer = { ...usualAnswers, ...answers }[name]()
    return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer)
  }
  const sessions = openSessions(nowMs)
  // Each ask is answered by what has its name.
  const connections: ConsoleConnections = new SharedConnections(maxConnections)
  const calls = consoleCalls({ ask: ask as Ask, link, sessions, connections, nowMs, mayRelease })
  const server = consoleServer(await readAssets(), calls, connections)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  const { port } = server.address() as AddressInfo // a TCP server that listens has one
  const makeLink = (): string => {
    const secret = makeSecret()
    link.make(secret)
    return secret
  }
  const post: TestConsole["post"] = (path, body, headers = pageHeaders) =>
    exchange(port, {
      ...{ method: "POST", path, headers },
      body: typeof body === "string" ? body : JSON.stringify(body),
    })
  return {
    ...{ port, clock, asked, link: makeLink, post },
    ask: (each) => exchange(port, each),
    async logIn() {
      const reply = await post("/session", { secret: makeLink() })
      assert.equal(reply.status, 200)
      const { proof } = JSON.parse(reply.text) as { readonly proof: string }
      const [cookie = ""] = cookiesOf(reply)
      return { ...pageHeaders, cookie, "countersign-console": proof }
    },
  }
}

/** The cookies that an answer sets, without their attributes. */
export function cookiesOf({ headers }: HttpReply): readonly string[] {
  return [headers["set-cookie"] ?? []].flat().map((each) => each.split(";")[0] ?? "")
}

/** Why the server says no. */
export function whyOf({ text }: HttpReply): string {
  const answer = JSON.parse(text) as Record<string, unknown>
  assert.deepEqual(Object.keys(answer), ["why"])
  return String(answer["why"])
}

/** The same headers but one. */
export function without(headers: Headers, name: string): Headers {
  return Object.fromEntries(Object.entries(headers).filter(([each]) => each !== name))
}

const usualAnswers: Answers = {
  listening: () => null,
  look: () => quietStand,
  entries: () => noEntries,
  record: () => signedRecord,
  held: () => ({ words: "buy 1 BTC-PERP", body: "    is_buy: true" }),
  weigh: () => ({ words: "buy 1 BTC-PERP", warnings: [], to_type: null, policy_hash: "aa" }),
  decide: () => ({ state: "released" }),
  freeze: () => ({
    ...{ scope: "all", name: null, reason: "odd fills", by: "console/alice" },
    ...{ cancels: true, since: 0 },
  }),
}
