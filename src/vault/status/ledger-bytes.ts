import { stat } from "node:fs/promises"

import { type Installation, pathsOf } from "../config/installation.ts"

/** How large the ledger is, its log included: the most that a copy of it takes. */
export async function ledgerBytes(installation: Installation): Promise<number> {
  const { ledgerFile } = pathsOf(installation)
  const sizes = [ledgerFile, `${ledgerFile}-wal`].map((file) =>
    stat(file).then(
      ({ size }) => size,
      () => 0, // the log is there only while it is needed
    ),
  )
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
}
