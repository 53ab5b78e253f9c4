// For how long a host may be without PostgreSQL, and what a clock or a copy that isn't as it was does then.

import assert from "node:assert/strict"
import { copyFileSync } from "node:fs"
import { describe, it } from "node:test"
import { setTimeout as pause } from "node:timers/promises"

import type { Ledger } from "../../src/vault/ledger/ledger.ts"
import { nonceCycle } from "../../src/vault/ledger/records/nonce-share.ts"
import { openIsolated } from "../../src/vault/ledger/postgres/isolated-store.ts"
import type { Mark } from "../../src/vault/ledger/signers/mark-file.ts"
import type { OpenSigner } from "../../src/vault/ledger/signers/signer-marks.ts"
import { aClaim, hourMs } from "../support/a-claim.ts"
import { startMs } from "../support/fake-clock.ts"
import {
  asked,
  isolated,
  isolatedHosts,
  reachMs,
  withIsolated,
  type Host,
} from "../support/isolated-host.ts"
import {
  recordOf,
  assertReserved,
  otherSigner,
  plainAsk,
  reserve,
  signer,
} from "../support/ledger-ask.ts"
import { needsPostgres } from "../support/postgres-server.ts"
import { primaryOfSuite } from "../support/postgres-suite.ts"

const { forMs } = isolated
const dayMs = 24 * hourMs
/** How far a host's clock is ahead that booted without a time server. */
const aheadMs = 50_000

/** An idle host asks PostgreSQL once a second; a busy machine may take longer. */
const noticedMs = 3_000

/** One signer's mark, that outlives the ledgers which write it. */
function keptMark() {
  let last: Mark | undefined
  const file = {
    read: () => Promise.resolve(last),
    write: (mark: Mark) => Promise.resolve(void (last = mark)),
    close: () => Promise.resolve(),
  }
  const open = () => Promise.resolve({ lock: { release: () => undefined }, file })
  return { open: open as never as OpenSigner, last: () => last }
}

describe("a host that can't reach PostgreSQL for a while", needsPostgres, () => {
  const primary = primaryOfSuite()
  const withHosts = (use: (host: Host, other: Host) => Promise<void>): Promise<void> =>
    withIsolated(primary(), use)

  it("doesn't take a copy that lost its end with the power for a restored ledger, for good", () =>
    withHosts(async (host) => {
      const mark = keptMark()
      const options = { signers: mark.open }
      const claimed = async (ledger: Ledger) => {
        await ledger.claim(signer)
        return ledger.marks.waiting().length
      }
      copyFileSync(host.place.file, `${host.place.file}.kept`) // what reached the disk
      await host.reached(async (ledger) => {
        await claimed(ledger)
        await asked(ledger)
      }, options)
      copyFileSync(`${host.place.file}.kept`, host.place.file)
      await host.reached(async (ledger) => {
        assert.equal(await claimed(ledger), 0) // PostgreSQL gives it back
        await asked(ledger)
      }, options)
      copyFileSync(`${host.place.file}.kept`, host.place.file)
      await host.parted(claimed, options).catch(() => undefined) // it may refuse for now
      await host.reached(async (ledger) => {
        assert.equal(await claimed(ledger), 0)
      }, options)
    }))

  it("leaves other hosts' limits as they are, though its clock was ahead", () =>
    withHosts((host, other) =>
      other.reached(async (ledger) => {
        const claims = [aClaim({ max: "1", lengthMs: aheadMs })]
        await ledger.replaceMeters(
          ({ operation }) => (operation === "placeOrder" ? claims : []),
          aheadMs,
        )
        const order = () =>
          reserve(ledger, { ...plainAsk, signer: otherSigner, claims, nowMs: ledger.now() })
        assertReserved(await order())
        assert.equal((await order()).kind, "refused")
        host.clock.setWall(startMs + aheadMs) // booted without a time server
        await host.parted(async (isolated) => {
          const { record } = await asked(isolated)
          await isolated.settle(record, { kind: "sent" }, isolated.now())
        })
        host.clock.setWall(startMs)
        await host.reached()
        await ledger.decide([], () => () => undefined) // having followed it
        assert.equal((await order()).kind, "refused")
      }),
    ))

  it("leaves its signer to other hosts, though its clock was ahead", () =>
    withHosts((host, other) =>
      other.reached(async (ledger) => {
        host.clock.setWall(startMs + aheadMs)
        await host.parted((isolated) => asked(isolated))
        host.clock.setWall(startMs)
        await host.reached()
        await ledger.decide([], () => () => undefined)
        await asked(ledger)
      }),
    ))

  it("isn't isolated with a copy that is older than it may be isolated", () =>
    withHosts(async (host, other) => {
      await other.reached((ledger) => asked(ledger))
      host.clock.pass(6 * dayMs)
      await assert.rejects(host.parted((ledger) => asked(ledger)))
    }))

  it("isn't isolated for longer because it looked for PostgreSQL first", async (t) => {
    const shortMs = reachMs + 4_000
    const settings = { isolated: { ...isolated, forMs: shortMs } }
    const [host] = await isolatedHosts(primary(), ["a"], settings)
    assert.ok(host)
    t.after(() => host.place.remove())
    await host.parted(async (ledger) => {
      const latestMs = performance.now() + shortMs - reachMs
      await asked(ledger)
      await pause(latestMs - performance.now() + 100)
      await assert.rejects(asked(ledger), /PostgreSQL was(?:n't)? reached/)
    })
  })

  it("isn't isolated for longer because its files took long to open", () =>
    withHosts(async ({ place }) => {
      let nowMs = startMs
      const now = () => (nowMs += forMs / 2)
      const noDoor = undefined as never // none is opened by it
      assert.equal(await openIsolated(noDoor, { ...place, ...isolated, now }), undefined)
    }))

  it("isn't isolated for longer because nothing was signed by now", () =>
    withHosts(async (host) => {
      await host.parted(() => Promise.resolve())
      host.clock.pass(forMs)
      await assert.rejects(host.parted((ledger) => asked(ledger)))
    }))

  it("isn't isolated for longer because its clock was set back", () =>
    withHosts(async (host) => {
      await host.parted((ledger) => asked(ledger))
      host.clock.pass(forMs / 2)
      await host.parted((ledger) => asked(ledger))
      host.clock.setWall(startMs)
      await assert.rejects(host.parted((ledger) => asked(ledger)))
    }))

  it("may be isolated after an hour in which nobody asked for anything", () =>
    withHosts(async ({ clock, parted, reached }) => {
      await reached(async () => {
        clock.pass(hourMs)
        await pause(noticedMs)
      })
      await parted((ledger) => asked(ledger))
    }))

  it("goes on where it was when it is started again", () =>
    withHosts(async ({ clock, parted, reached }) => {
      const first = await parted((ledger) => asked(ledger))
      const next = await parted((ledger) => asked(ledger))
      assert.equal(next.nonce, first.nonce + nonceCycle)
      clock.pass(forMs / 2)
      const last = await parted((ledger) => asked(ledger))
      await reached(async (ledger) => {
        for (const { record, nonce } of [first, next, last]) {
          assert.equal((await recordOf(ledger, record, ledger.now()))?.nonce, nonce)
        }
      })
    }))
})
