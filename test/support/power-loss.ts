import assert from "node:assert/strict"
import { randomInt } from "node:crypto"
import { mkdtempSync, readFileSync, rmSync, truncateSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, before, describe, it } from "node:test"

import { systemClock } from "../../src/vault/process/clock.ts"
import type { Ledger } from "../../src/vault/ledger/ledger.ts"
import { openLedger } from "../../src/vault/ledger/open-ledger.ts"
import { parseAddress } from "../../src/venue/address.ts"
import { commitEnds, copyLedger, mayBeMoved, tearLog } from "./crash-image.ts"
import { makeCrashSite, type CrashSite } from "./crash-site.ts"
import { takeImages, type LedgerImage } from "./ledger-images.ts"
import { createOutsideChecker, type OutsideChecker } from "./outside-checker.ts"
import { readLedger } from "./read-ledger.ts"
import { seededRandom } from "./seeded-random.ts"

const seed = process.env["CRASH_SEED"] ?? String(randomInt(2 ** 32))

/** Copies what the disk holds under load at `imageCount` moments, tears the copies, and opens them. */
export function describePowerLoss(imageCount: number): void {
  describe("what is on the disk of a vault under load", { timeout: 600_000 }, () => {
    const random = seededRandom(seed)
    const directory = mkdtempSync(join(tmpdir(), "cs-image-"))
    let images: readonly LedgerImage[] = []
    let site: CrashSite
    let checker: OutsideChecker
    before(async () => {
      site = await makeCrashSite(imageCount)
      checker = createOutsideChecker(site.signers)
      images = await takeImages(imageCount, { site, checker, random, directory })
    })
    after(async () => {
      await site.remove()
      rmSync(directory, { recursive: true })
    })

    it("holds every answer that was given until then", async (t) => {
      for (const { file, signatures } of images) {
        await openAndCheck(copyOf(file), signatures)
      }
      const { signatures } = images.at(-1)!
      t.diagnostic(
        `seed ${seed}: ${images.length} images, the last one after ${signatures} answers`,
      )
    })

    it("holds every answer also when what came after the last commit is torn", async (t) => {
      let torn = 0
      for (const { file, signatures } of images) {
        const wal = readFileSync(`${file}-wal`)
        if (mayBeMoved(wal)) continue
        const durableBytes = commitEnds(wal).at(-1) ?? 0
        const copy = copyOf(file)
        tearLog(`${copy}-wal`, durableBytes + random.below(wal.length - durableBytes + 1), random)
        await openAndCheck(copy, signatures)
        torn += 1
      }
      t.diagnostic(`${torn} torn images`)
      assert.ok(torn > 0)
    })

    it("is whole up to a commit, wherever the log is torn, and that is the last one before", async () => {
      for (const { file } of images) {
        const wal = readFileSync(`${file}-wal`)
        if (mayBeMoved(wal)) continue
        const bytes = random.below(wal.length + 1)
        const lastCommit = commitEnds(wal).findLast((end) => end <= bytes) ?? 0
        const [torn, cut] = [copyOf(file), copyOf(file)]
        tearLog(`${torn}-wal`, bytes, random)
        truncateSync(`${cut}-wal`, lastCommit)
        const whole = await entriesOf(copyOf(file))
        const left = await entriesOf(torn)
        assert.deepEqual(left, whole.slice(0, left.length))
        assert.deepEqual(left, await entriesOf(cut))
      }
    })

    let copies = 0
    function copyOf(file: string): string {
      copies += 1
      const copy = `${file}.copy${copies}`
      copyLedger(file, copy)
      return copy
    }

    async function openAndCheck(file: string, signatures: number): Promise<void> {
      const ledger = await openLedger({ file, clock: systemClock })
      assertNoncesHold(ledger, signatures)
      await ledger.close()
      await checker.checkLedger(file, signatures)
    }

    function assertNoncesHold(ledger: Ledger, signatures: number): void {
      for (const signer of site.signers) {
        const last = ledger.lastNonce(parseAddress(signer)!) ?? 0
        assert.ok(last >= checker.lastNonce(signer, signatures))
      }
    }
  })
}

/** Opens a ledger, which repairs it, and reads the ids of its entries. */
async function entriesOf(file: string): Promise<readonly string[]> {
  const ledger = await openLedger({ file, clock: systemClock })
  await ledger.close()
  return readLedger(file).map(({ id }) => id)
}
