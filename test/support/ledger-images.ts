import assert from "node:assert/strict"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"

import { copyLedger, whileStopped } from "./crash-image.ts"
import { createCrashLoad } from "./crash-load.ts"
import type { CrashSite } from "./crash-site.ts"
import type { OutsideChecker } from "./outside-checker.ts"
import type { SeededRandom } from "./seeded-random.ts"

/** What the disk held at a moment under load. */
export type LedgerImage = {
  readonly file: string
  /** How many signatures had been told by then. */
  readonly signatures: number
}

/** Runs a vault under load, stops it at random moments to copy the files of its ledger, and kills it. */
export async function takeImages(
  count: number,
  {
    site,
    checker,
    random,
    directory,
  }: {
    readonly site: CrashSite
    readonly checker: OutsideChecker
    readonly random: SeededRandom
    /** For the copies. */
    readonly directory: string
  },
): Promise<readonly LedgerImage[]> {
  const images: LedgerImage[] = []
  const vault = site.startVault()
  try {
    assert.equal(await vault.started, "ready", vault.stderr())
    const load = createCrashLoad({ site, doors: [site], random, checker })
    const loaded = load.run(vault.ended)
    while (images.length < count) {
      await sleep(20 + random.below(200))
      const file = join(directory, `${images.length}.db`)
      await whileStopped(vault.pid, () => {
        copyLedger(site.ledgerFile, file)
        images.push({ file, signatures: checker.signatures() })
      })
    }
    vault.kill()
    await loaded
  } finally {
    vault.kill()
    await vault.ended
  }
  checker.recoverSigners()
  return images
}
