import assert from "node:assert/strict"
import { chmod, copyFile, mkdir, readFile, rm, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { describe, it, type TestContext } from "node:test"

import fc from "fast-check"

import type { Ledger } from "../../../../../src/vault/ledger/ledger.ts"
import { openLedger } from "../../../../../src/vault/ledger/open-ledger.ts"
import { leaseNonces, signersIn } from "../../../../../src/vault/ledger/signers/signer-marks.ts"
import { fakeClock, type FakeClock, ledgerTime } from "../../../../support/fake-clock.ts"
import { ledgerPlace, reserveAt, reserved, signer } from "../../../../support/ledger-ask.ts"
import { numRuns } from "../../../../support/runs.ts"

type Place = { readonly file: string; readonly signerDir: string; readonly clock: FakeClock }

async function place(): Promise<Place & { remove(): Promise<void> }> {
  const made = await ledgerPlace()
  const home = dirname(made.file)
  await mkdir(join(home, "state"))
  return {
    file: join(home, "state", "ledger.db"),
    signerDir: join(home, "signers"),
    clock: fakeClock(),
    remove: () => made.remove(),
  }
}

async function placeFor(t: TestContext): Promise<Place> {
  const made = await place()
  t.after(() => made.remove())
  return made
}

async function open({ file, signerDir, clock }: Place): Promise<Ledger> {
  const ledger = await openLedger({ file, signers: signersIn(signerDir), clock })
  await ledger.claim(signer).catch(async (error: unknown) => {
    await ledger.close()
    throw error
  })
  return ledger
}

/** What an operator's word does. */
async function accept(ledger: Ledger, clock: FakeClock): Promise<void> {
  const name = "ab".repeat(16)
  const signers = ledger.marks.waiting()
  await ledger.act({ act: "restore_accepted", ledger: name, signers }, ledgerTime(clock.nowMs()))
  await ledger.marks.accept(name)
}

function isWaiting(ledger: Ledger): boolean {
  return ledger.marks.waiting().length > 0
}

describe("a signer's mark", () => {
  it("is ahead of every nonce that was given out, and exact after an orderly end", async (t) => {
    const at = await placeFor(t)
    const ledger = await open(at)
    const { nonce } = await reserved(ledger, at.clock.nowMs())
    const markFile = join(at.signerDir, `${signer}.mark`)
    const noncesIn = async () =>
      [...(await readFile(markFile, "utf8")).matchAll(/ (\d+) good/g)].map(([, text]) =>
        Number(text),
      )
    assert.equal(Math.max(...(await noncesIn())), nonce + leaseNonces)
    await ledger.close()
    assert.ok((await noncesIn()).includes(nonce))
  })

  it("lets the ledger that it knows go on", async (t) => {
    const at = await placeFor(t)
    const ledger = await open(at)
    const first = await reserved(ledger, at.clock.nowMs())
    await ledger.close()
    const again = await open(at)
    t.after(() => again.close())
    assert.deepEqual(again.marks.waiting(), [])
    assert.equal((await reserved(again, at.clock.nowMs())).nonce, first.nonce + 1)
  })

  it("is missed where its ledger has signed, until the next start, and not of a new signer", async (t) => {
    const at = await placeFor(t)
    const first = await open(at)
    await reserved(first, at.clock.nowMs())
    assert.deepEqual(first.marks.unmarked(), [])
    await first.close()
    const elsewhere = { ...at, signerDir: join(dirname(at.signerDir), "other") }
    for (const missed of [[signer], []]) {
      const copy = await open(elsewhere)
      assert.deepEqual(copy.marks.unmarked(), missed)
      await copy.close()
    }
  })

  it("moves no nonce of a signer that is claimed again, far as it is ahead", async (t) => {
    const at = await placeFor(t)
    const ledger = await open(at)
    t.after(() => ledger.close())
    const { nonce } = await reserved(ledger, at.clock.nowMs())
    for (let turn = 1; turn <= 3; turn++) {
      await ledger.claim(signer)
      assert.equal((await reserved(ledger, at.clock.nowMs())).nonce, nonce + turn)
    }
  })

  it("has a signer that was never claimed sign nothing", async (t) => {
    const at = await placeFor(t)
    const ledger = await openLedger({ ...at, signers: signersIn(at.signerDir) })
    t.after(() => ledger.close())
    await assert.rejects(reserveAt(ledger, at.clock.nowMs()), { code: "ledger_unavailable" })
  })

  it("gives a signer to one ledger at a time", async (t) => {
    const at = await placeFor(t)
    const ledger = await open(at)
    const signers = signersIn(at.signerDir)
    const other = await openLedger({ ...at, signers, file: `${at.file}-2` })
    t.after(() => other.close())
    await assert.rejects(other.claim(signer), {
      code: "already_running",
      message: /one signer has one daemon/,
    })
    await ledger.close()
    await other.claim(signer)
    assert.equal(isWaiting(other), true, "another ledger gave nonces out")
  })

  it("in a directory that others can use is refused", async (t) => {
    const at = await placeFor(t)
    await mkdir(at.signerDir)
    await chmod(at.signerDir, 0o755)
    await assert.rejects(open(at), { code: "file_unsafe", message: /chmod 700/ })
  })

  it("that is damaged is refused, and one whose last write was cut off isn't", async (t) => {
    const at = await placeFor(t)
    const ledger = await open(at)
    await reserved(ledger, at.clock.nowMs())
    await ledger.close()
    const markFile = join(at.signerDir, `${signer}.mark`)
    const whole = await readFile(markFile)
    const slots = [0, 4_096]
    for (const start of slots) {
      const cut = Buffer.from(whole)
      cut.fill("x", start + 30, start + 60)
      await writeFile(markFile, cut)
      await (await open(at)).close()
      await writeFile(markFile, whole)
    }
    const spoiled = Buffer.from(whole)
    for (const start of slots) spoiled.fill("x", start + 30, start + 60)
    await writeFile(markFile, spoiled)
    await assert.rejects(open(at), { code: "ledger_unusable", message: /is damaged/ })
  })
})

describe("a ledger restored from an older copy", () => {
  /** Signs `before`, copies, signs `after`, puts the copy back. */
  async function restored(at: Place, before: number, after: number): Promise<readonly number[]> {
    const nonces: number[] = []
    for (const [index, count] of [before, after].entries()) {
      const ledger = await open(at)
      for (let n = 0; n < count; n++) nonces.push((await reserved(ledger, at.clock.nowMs())).nonce)
      await ledger.close()
      if (index === 0) await copyFile(at.file, `${at.file}-copy`)
    }
    await copyFile(`${at.file}-copy`, at.file)
    await rm(`${at.file}-wal`, { force: true })
    return nonces
  }

  it("signs nothing until that is accepted, then above all nonces before", async (t) => {
    const at = await placeFor(t)
    const nonces = await restored(at, 2, 3)
    const ledger = await open(at)
    t.after(() => ledger.close())
    assert.equal(isWaiting(ledger), true)
    await assert.rejects(reserveAt(ledger, at.clock.nowMs()), {
      code: "restore_unaccepted",
      message: /countersign ledger accept-restore/,
    })
    await accept(ledger, at.clock)
    assert.equal(isWaiting(ledger), false)
    const { nonce } = await reserved(ledger, at.clock.nowMs())
    assert.ok(nonces.every((earlier) => earlier < nonce))
  })

  it("waits still after it grew past the mark", async (t) => {
    const at = await placeFor(t)
    await restored(at, 1, 2)
    const offline = await openLedger({ file: at.file, clock: at.clock })
    for (let n = 0; n < 5; n++) {
      await offline.act(
        { act: "started", policy_hash: "ab".repeat(32) },
        ledgerTime(at.clock.nowMs()),
      )
    }
    await offline.close()
    for (let start = 0; start < 2; start++) {
      const ledger = await open(at)
      assert.equal(isWaiting(ledger), true)
      await ledger.close()
    }
  })

  it("stays accepted, and the ledger that it took the place of is noticed when it comes back", async (t) => {
    const at = await placeFor(t)
    const first = await open(at)
    await reserved(first, at.clock.nowMs())
    await first.close()
    await copyFile(at.file, `${at.file}-old`)
    const second = await open(at)
    await reserved(second, at.clock.nowMs())
    await second.close()
    await copyFile(at.file, `${at.file}-new`)
    for (const [copy, waits] of [
      ["old", true],
      ["new", true],
    ] as const) {
      await copyFile(`${at.file}-${copy}`, at.file)
      const ledger = await open(at)
      assert.equal(ledger.marks.waiting().length > 0, waits)
      await accept(ledger, at.clock)
      await reserved(ledger, at.clock.nowMs())
      await ledger.close()
      const again = await open(at)
      assert.deepEqual(again.marks.waiting(), [])
      await again.close()
    }
  })

  it("never repeats a nonce, whenever it was copied and whatever the clock did", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.nat(4),
        fc.integer({ min: 1, max: 4 }),
        fc.integer({ min: -90_000, max: 5_000 }),
        async (before, after, stepMs) => {
          const at = await place()
          try {
            const nonces = await restored(at, before, after)
            at.clock.setWall(at.clock.nowMs() + stepMs)
            const ledger = await open(at)
            await accept(ledger, at.clock)
            const later: number[] = []
            for (let n = 0; n < 3; n++) {
              later.push((await reserved(ledger, at.clock.nowMs())).nonce)
            }
            await ledger.close()
            assert.equal(new Set([...nonces, ...later]).size, nonces.length + later.length)
          } finally {
            await at.remove()
          }
        },
      ),
      numRuns(6),
    )
  })
})
