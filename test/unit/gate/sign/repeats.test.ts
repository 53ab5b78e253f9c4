import assert from "node:assert/strict"
import { describe, it } from "node:test"

import type { Reply } from "../../../../src/gate/http/reply.ts"
import { createSharedSends, type Sending } from "../../../../src/gate/sign/sign.ts"

const record = "r-1"

function reply(text: string): Reply {
  return { kind: "text", type: "text/plain", text }
}

const told = reply("told")
const again = reply("again")

/** Sends of one record, the first of them answered; the vault hears of that with `hear`. */
async function openSends() {
  const sends = createSharedSends()
  const heard = Promise.withResolvers<undefined>()
  const early = sends.begin()
  const shared = sends.share(record, () => Promise.resolve({ reply: told, heard: heard.promise }))
  assert.equal(await shared, told)
  early()
  return {
    sends,
    hear: async () => {
      heard.resolve(undefined)
      await heard.promise
    },
    repeat: () => sends.share(record, () => Promise.resolve({ reply: again })),
  }
}

describe("sends that repeats share", () => {
  it("are one as long as the first is under way", async () => {
    const sends = createSharedSends()
    const answer = Promise.withResolvers<Sending>()
    const one = sends.share(record, () => answer.promise)
    const two = sends.share(record, () => assert.fail("sent again"))
    answer.resolve({ reply: told })
    assert.deepEqual([await one, await two], [told, told])
  })

  it("keep what the venue told until the vault has heard of it", async () => {
    const { hear, repeat } = await openSends()
    assert.equal(await repeat(), told)
    await hear()
    assert.equal(await repeat(), again)
  })

  for (const order of ["earlier", "later"] as const) {
    it(`keep it for all that the vault was asked before it heard, the ${order} over first, however late that comes`, async () => {
      const { sends, hear, repeat } = await openSends()
      const ends = [sends.begin(), sends.begin()]
      const [first, last] = order === "earlier" ? ends : ends.reverse()
      await hear()
      first?.()
      assert.equal(await repeat(), told)
      last?.()
      assert.equal(await repeat(), again)
    })
  }

  it("keep it for none that the vault was asked after it heard", async () => {
    const { sends, hear, repeat } = await openSends()
    const before = sends.begin()
    await hear()
    sends.begin()
    before()
    assert.equal(await repeat(), again)
  })

  for (const { what, send } of [
    { what: "told nothing of", send: () => Promise.resolve({ reply: told }) },
    { what: "failed", send: () => Promise.reject(new Error("broke")) },
  ]) {
    it(`forget at once what ${what}, though asks are under way`, async () => {
      const sends = createSharedSends()
      sends.begin()
      await sends.share(record, send).catch(() => undefined)
      assert.equal(await sends.share(record, () => Promise.resolve({ reply: again })), again)
    })
  }
})
