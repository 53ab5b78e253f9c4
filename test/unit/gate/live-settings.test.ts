import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { givenSettings, vaultSettings } from "../../../src/gate/live-settings.ts"
import type { LogEntry } from "../../../src/gate/log.ts"
import type { SettingsWords } from "../../../src/gate/settings.ts"
import type { BotLink } from "../../../src/link/client.ts"
import { Fault } from "../../../src/std/fault.ts"

const away = new Fault("vault_unavailable", "Nobody answers.")

/** A vault that gives these answers in turn, and its last one for ever. */
function linkTo(...answers: readonly (SettingsWords | Fault)[]): BotLink {
  const left = [...answers]
  const call = (): Promise<unknown> => {
    const answer = left.length > 1 ? left.shift() : left[0]
    return answer instanceof Fault ? Promise.reject(answer) : Promise.resolve(answer)
  }
  return { call: call as BotLink["call"], close: () => undefined }
}

describe("settings of the vault", () => {
  it("are asked for until it tells them, and its absence is logged once", async () => {
    const logged: LogEntry[] = []
    const words = { upstream: "https://venue.example", allowedHosts: ["bots.internal"] }
    const settings = vaultSettings(linkTo(away, away, words), (entry) => logged.push(entry))
    assert.equal(settings.now(), undefined)
    await settings.known
    assert.notEqual(settings.now()?.upstream, undefined)
    assert.equal(settings.now()?.hosts(1).has("bots.internal:1"), true)
    assert.deepEqual(
      logged.map(({ level, event, code }) => [level, event, code]),
      [["warn", "waiting_for_vault", "vault_unavailable"]],
    )
  })

  it("are others once they were asked for anew", async () => {
    const first = { upstream: null, allowedHosts: ["a.internal"] }
    const second = { upstream: "https://venue.example", allowedHosts: ["b.internal"] }
    const settings = vaultSettings(linkTo(first, second), () => undefined)
    await settings.known
    assert.equal(settings.now()?.upstream, undefined)
    await settings.renew?.()
    assert.notEqual(settings.now()?.upstream, undefined)
    assert.equal(settings.now()?.hosts(undefined).has("a.internal"), false)
    assert.equal(settings.now()?.hosts(undefined).has("b.internal"), true)
  })

  for (const [what, answer] of [
    ["the vault is away", away],
    ["they can't be used", { upstream: "http://venue.example", allowedHosts: [] }],
  ] as const) {
    it(`stay when ${what} as they are asked for anew`, async () => {
      const settings = vaultSettings(linkTo({ upstream: null, allowedHosts: [] }, answer), () => 0)
      await settings.known
      const before = settings.now()
      await assert.rejects(async () => settings.renew?.(), Fault)
      assert.equal(settings.now(), before)
    })
  }
})

describe("settings of the command line", () => {
  it("are known from the start and asked of nobody", async () => {
    const settings = givenSettings({ upstream: null, allowedHosts: ["bots.internal"] })
    assert.equal(settings.now()?.hosts(80).has("bots.internal"), true)
    assert.equal(settings.renew, undefined)
    await settings.known
  })

  it("are refused with a base URL without TLS", () => {
    const words = { upstream: "http://venue.example", allowedHosts: [] }
    assert.throws(() => givenSettings(words), { code: "config_invalid" })
  })
})
