import assert from "node:assert/strict"
import { randomInt } from "node:crypto"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, before, describe, it } from "node:test"

import { postgresStore } from "../../src/vault/ledger/postgres/open-store.ts"
import { copyLedger, mayBeMoved, tearLog } from "./crash-image.ts"
import { startCrashPostgres, type CrashPostgres } from "./crash-on-postgres.ts"
import { headIn } from "./crash-rounds.ts"
import { makeCrashSite, type CrashSite } from "./crash-site.ts"
import { takeImages, type LedgerImage } from "./ledger-images.ts"
import { createOutsideChecker, type OutsideChecker } from "./outside-checker.ts"
import { hostRole } from "./postgres-server.ts"
import { seededRandom } from "./seeded-random.ts"

const seed = process.env["CRASH_SEED"] ?? String(randomInt(2 ** 32))

/**
 * A host on PostgreSQL doesn't wait for its own disk. Copies what that holds under load at `imageCount` moments, tears
 * the copies anywhere, and starts from them.
 */
export function describeTornCopy(imageCount: number): void {
  describe("a host's copy after its power was lost", { timeout: 600_000 }, () => {
    const random = seededRandom(seed)
    const directory = mkdtempSync(join(tmpdir(), "cs-torn-"))
    let images: readonly LedgerImage[] = []
    let postgres: CrashPostgres
    let site: CrashSite
    let checker: OutsideChecker
    before(async () => {
      postgres = await startCrashPostgres()
      site = await makeCrashSite(imageCount, postgres)
      checker = createOutsideChecker(site.signers)
      images = await takeImages(imageCount, { site, checker, random, directory })
    })
    after(async () => {
      await site.remove()
      await postgres.close()
      rmSync(directory, { recursive: true })
    })

    /** Starts from a copy, as the vault of the site would. */
    async function bringUp(file: string): Promise<void> {
      const [keyFile, path] = [join(site.dir, "ledger.key"), join(site.dir, "ledger.sock")]
      const there = { role: hostRole, database: "countersign", replicas: 1, commitTimeoutMs: 8_000 }
      const isolatedFile = join(site.dir, "isolated.db")
      const ask = {
        file,
        isolatedFile,
        keyFile,
        place: { path },
        postgres: { host: "a", hosts: undefined, isolated: undefined, ...there },
      }
      const { store } = await postgresStore({ ...ask, reachMs: 20_000 })(Date.now())
      assert.equal(await store.close(), "whole")
    }

    it("gets back from PostgreSQL all that was signed, wherever its log is torn", async (t) => {
      let torn = 0
      for (const { file } of images) {
        const copy = `${file}.copy`
        copyLedger(file, copy)
        const wal = readFileSync(`${copy}-wal`)
        if (!mayBeMoved(wal)) {
          tearLog(`${copy}-wal`, random.below(wal.length + 1), random)
          torn += 1
        }
        await bringUp(copy)
        assert.equal(headIn(copy), postgres.head())
        await checker.checkLedger(copy)
      }
      t.diagnostic(`seed ${seed}: ${torn} torn of ${images.length} copies`)
      t.diagnostic(`${checker.signatures()} signatures; ${postgres.head()}`)
      assert.ok(torn > 0)
    })
  })
}
