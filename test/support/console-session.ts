import assert from "node:assert/strict"
import { setTimeout as sleep } from "node:timers/promises"

import type { Look } from "../../src/console/asks.ts"
import { exchange } from "./exchange.ts"
import type { HttpReply } from "./gate.ts"

/** A page of a console, without a browser. */
export type ConsoleSession = {
  call(path: string, body?: object): Promise<HttpReply>
  look(): Promise<Look>
  /** Looks until that is how it stands. */
  until(isSo: (reply: HttpReply) => boolean, what: string): Promise<HttpReply>
}

/** What a browser says that a page of this port sends. */
function ofPage(port: number): Readonly<Record<string, string>> {
  return { "content-type": "application/json", origin: `http://127.0.0.1:${port}` }
}

/** Uses a link up, or tries to. */
export function useLink(link: string): Promise<HttpReply> {
  const { port, hash } = new URL(link)
  const body = JSON.stringify({ secret: hash.slice(1) })
  return exchange(Number(port), {
    ...{ method: "POST", path: "/session", headers: ofPage(Number(port)), body },
  })
}

/** Logs in by a link. @throws when it opens nothing. */
export async function logIn(link: string): Promise<ConsoleSession> {
  const port = Number(new URL(link).port)
  const opened = await useLink(link)
  assert.equal(opened.status, 200, opened.text)
  const { proof } = JSON.parse(opened.text) as { readonly proof: string }
  const [cookie = ""] = String(opened.headers["set-cookie"]).split(";")
  const headers = { ...ofPage(port), cookie, "countersign-console": proof }
  const call: ConsoleSession["call"] = (path, body = {}) =>
    exchange(port, { method: "POST", path, headers, body: JSON.stringify(body) })
  return {
    call,
    async look() {
      const { status, text } = await call("/look")
      assert.equal(status, 200, text)
      return JSON.parse(text) as Look
    },
    async until(isSo, what) {
      for (let tries = 0; tries < 120; tries += 1) {
        const reply = await call("/look")
        if (isSo(reply)) return reply
        await sleep(100)
      }
      return assert.fail(`looked in vain until ${what}`)
    },
  }
}
