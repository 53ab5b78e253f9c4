import type { Act, ActRow } from "../../../src/vault/ledger/records/row.ts"
import { makeRecordId } from "../../../src/vault/ledger/records/record-id.ts"
import { startMs } from "../../support/fake-clock.ts"
import { beginning, chained, Disk, type Entry } from "./disk.ts"
import { added, fileSets } from "../site.ts"

/** A disk with an installation on it: keys, clients, and the first files in force. */
export function genesis(): Disk {
  return installed.copy()
}

const acts: readonly Act[] = [
  ...added.keys.map((key) => ({ act: "key_added" as const, key })),
  ...added.clients.map((client) => ({ act: "client_added" as const, client })),
  { act: "set_activated", hash: fileSets[0]!.policyHash, files: fileSets[0]!.texts },
]

const installed = new Disk()
installed.write({
  entries: acts.reduce<readonly Entry[]>((earlier, act) => {
    const row: ActRow = { kind: "act", id: makeRecordId(startMs), at_ms: startMs, ...act }
    return [...earlier, chained(row, earlier.at(-1) ?? beginning)]
  }, []),
  clock: undefined,
  steps: [],
})
