import { stat } from "node:fs/promises"

import { pathsOf } from "../config/installation.ts"
import type { Vault } from "../core/vault.ts"

/** How large the ledger is, its log included: the most that a copy of it takes. */
export async function ledgerBytes({ installation }: Pick<Vault, "installation">): Promise<number> {
  const { ledgerFile } = pathsOf(installation)
  const sizes = [ledgerFile, `${ledgerFile}-wal`].map((file) =>
    stat(file).then(
      ({ size }) => size,
      () => 0, // the log is there only while it is needed
    ),
  )
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
}
