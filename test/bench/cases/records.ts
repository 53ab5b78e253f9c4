import type { Address } from "../../../src/venue/address.ts"
import { pathsOf } from "../../../src/vault/config/installation.ts"
import { growLedger } from "../../support/big-ledger.ts"
import type { Case } from "../case.ts"
import { makeSite, type Site } from "../daemon/make-site.ts"
import { sideBySide } from "./side-by-side.ts"

/** What a signature costs with an empty and with a large ledger. */
export const records: Case = {
  name: "records",
  what: "sign over HTTP, 16 connections, with 10 rules and by how many records the ledger has; --records says how many",
  async open(settings) {
    const [empty, large] = [
      await makeSite({ program: settings.program, rules: 10 }),
      await makeSite({ program: settings.program, rules: 10 }),
    ]
    grow(large, settings.records)
    return sideBySide(
      [
        { name: "empty ledger", site: empty },
        { name: "large ledger", site: large },
      ],
      settings,
    )
  },
}

/** Adds three days of the first bot's trading to the ledger of a site that doesn't run. */
export function grow({ dir, bots }: Site, entries: number): void {
  const { ledgerFile } = pathsOf({ configDir: dir, stateDir: dir })
  const signer = (bots[0]?.address ?? "") as Address
  growLedger(ledgerFile, { client: "bot0", key: "k0", signer, entries, endMs: Date.now() })
}
