import assert from "node:assert/strict"
import { rename } from "node:fs/promises"
import { join } from "node:path"
import { after, before, describe, it } from "node:test"

import { bot, limitOrder } from "../support/bot.ts"
import { makeCheckout } from "../support/checkout.ts"
import { makeInstallation, serve, type TemporaryInstallation } from "../support/countersign.ts"
import { killAllNaming } from "../support/process-tree.ts"
import { addClient, makeTradingKeys, tradingPolicy, writePolicy } from "../support/trading-keys.ts"

/** Checkout and installation, from one directory on. */
const places = [
  { checkout: "countersign", dir: "countersign-try" },
  { checkout: "countersign", dir: "countersig" },
]

describe("countersign serve", { timeout: 120_000 }, () => {
  let installation: TemporaryInstallation
  let dir: string
  let token: string
  before(async () => {
    installation = await makeInstallation()
    dir = installation.dir
    await writePolicy(dir, tradingPolicy)
    await makeTradingKeys(dir)
    token = await addClient(dir, "bot")
  })
  after(async () => {
    await killAllNaming(installation.home)
    await installation.remove()
  })

  for (const [number, place] of places.entries()) {
    it(`signs from ${place.checkout}/ for an installation in ${place.dir}/ beside it`, async () => {
      const parent = join(installation.home, String(number))
      const program = await makeCheckout(join(parent, place.checkout))
      const moved = join(parent, place.dir)
      await rename(dir, moved)
      dir = moved
      const daemon = await serve(dir, [], { program })
      const answer = await bot(daemon.url, token).post("/sign/v1/trade/orders", limitOrder())
      await daemon.stop()
      assert.equal(answer.status, 200, answer.text)
    })
  }
})
