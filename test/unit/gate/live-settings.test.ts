import assert from "node:assert/strict"
import { describe, it } from "node:test"

import type { LogEntry } from "../../../src/gate/process/log.ts"
import { givenSettings, vaultSettings, settingsOf } from "../../../src/gate/settings.ts"
import type { BotLink } from "../../../src/contract/client.ts"
import type { GateSettings, UpstreamSettings } from "../../../src/link/gate-settings.ts"
import { Fault } from "../../../src/std/fault.ts"
import { startConnectProxy } from "../../support/connect-proxy.ts"
import { httpText, startRawVenue } from "../../support/raw-venue.ts"
import { testTls } from "../../support/tls.ts"

const away = new Fault("vault_unavailable", "Nobody answers.")

function at(baseUrl: string, changes: Partial<UpstreamSettings> = {}): UpstreamSettings {
  return { baseUrl, ca: null, proxy: null, deadlineMs: 15_000, ...changes }
}

/** A vault that gives these answers in turn, and its last one for ever. */
function linkTo(...answers: readonly (GateSettings | Fault)[]): BotLink {
  const left = [...answers]
  // Of each method's answer, since it is asked for its settings alone.
  const call = (): Promise<never> => {
    const answer = left.length > 1 ? left.shift() : left[0]
    return answer instanceof Fault ? Promise.reject(answer) : Promise.resolve(answer as never)
  }
  return { call, close: () => undefined }
}

describe("settings of the vault", () => {
  it("are asked for until it tells them, and its absence is logged once", async () => {
    const logged: LogEntry[] = []
    const words = { upstream: at("https://venue.example"), allowedHosts: ["bots.internal"] }
    const settings = vaultSettings(linkTo(away, away, words), (entry) => logged.push(entry))
    const current = () => settings.current
    assert.equal(current(), undefined)
    await settings.known
    assert.notEqual(current()?.upstream, undefined)
    assert.equal(current()?.hosts(1).has("bots.internal:1"), true)
    assert.deepEqual(
      logged.map(({ level, event, code }) => [level, event, code]),
      [["warn", "waiting_for_vault", "vault_unavailable"]],
    )
  })

  it("are others once they were asked for anew", async () => {
    const first = { upstream: null, allowedHosts: ["a.internal"] }
    const second = { upstream: at("https://venue.example"), allowedHosts: ["b.internal"] }
    const settings = vaultSettings(linkTo(first, second), () => undefined)
    const current = () => settings.current
    await settings.known
    assert.equal(current()?.upstream, undefined)
    await settings.renew?.()
    assert.notEqual(current()?.upstream, undefined)
    assert.equal(current()?.hosts(undefined).has("a.internal"), false)
    assert.equal(current()?.hosts(undefined).has("b.internal"), true)
  })

  for (const [what, answer] of [
    ["the vault is away", away],
    ["they can't be used", { upstream: at("http://venue.example"), allowedHosts: [] }],
  ] as const) {
    it(`stay when ${what} as they are asked for anew`, async () => {
      const settings = vaultSettings(linkTo({ upstream: null, allowedHosts: [] }, answer), () => 0)
      await settings.known
      const before = settings.current
      await assert.rejects(async () => settings.renew?.(), Fault)
      assert.equal(settings.current, before)
    })
  }
})

describe("settings of either", () => {
  it("say for how long a venue may be silent", { timeout: 10_000 }, async (t) => {
    const venue = await startRawVenue(t, {})
    const { upstream } = settingsOf({
      upstream: at(venue.base, { deadlineMs: 100 }),
      allowedHosts: [],
    })
    const ask = { path: "/v1/x", body: "{}", traceparent: undefined, maySend: () => true }
    const sent = await upstream?.send(ask)
    assert.notEqual(sent?.kind, "answered")
    await upstream?.close()
  })

  it("say whom to trust, and through which proxy to go", async (t) => {
    const venue = await startRawVenue(t, {
      tls: true,
      onRequest: (socket) => socket.write(httpText("{}")),
    })
    const proxy = await startConnectProxy(t)
    const way = { ca: testTls.cert, proxy: proxy.url }
    const { upstream } = settingsOf({
      upstream: at(`https://localhost:${venue.port}`, way),
      allowedHosts: [],
    })
    const ask = { path: "/v1/x", body: "{}", traceparent: undefined, maySend: () => true }
    assert.equal((await upstream?.send(ask))?.kind, "answered")
    assert.equal(proxy.asked.length, 1)
    await upstream?.close()
  })
})

describe("settings of the command line", () => {
  it("are known from the start and asked of nobody", async () => {
    const settings = givenSettings({ upstream: null, allowedHosts: ["bots.internal"] })
    assert.equal(settings.current?.hosts(80).has("bots.internal"), true)
    assert.equal(settings.renew, undefined)
    await settings.known
  })

  for (const [what, upstream] of [
    ["a base URL without TLS", at("http://venue.example")],
    ["a proxy with credentials", at("https://venue.example", { proxy: "http://u:p@proxy:3128" })],
    ["a proxy over TLS", at("https://venue.example", { proxy: "https://proxy:3128" })],
  ] as const) {
    it(`are refused with ${what}`, () => {
      const words = { upstream, allowedHosts: [] }
      assert.throws(() => givenSettings(words), { code: "config_invalid" })
    })
  }
})
