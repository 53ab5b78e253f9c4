import { readFile } from "node:fs/promises"

import { checkpointSchema, type CheckpointView } from "../../link/calls/audit-methods.ts"
import { Fault } from "../../std/fault.ts"
import { codeOf } from "../../std/private-file.ts"
import { parseJson } from "../../std/parse-json.ts"
import { writeNewFile } from "../../vault/keyring/write-new-file.ts"
import { isSigned } from "../../vault/ledger/audit/checkpoint.ts"

/** Writes a checkpoint to a new file, which is worth something on another machine. @throws {Fault} */
export async function keepCheckpoint(
  file: string,
  checkpoint: CheckpointView | null,
): Promise<void> {
  if (checkpoint === null) {
    throw new Fault(
      "usage",
      "The ledger has no checkpoint yet; the daemon signs one within an hour, and when it stops.",
    )
  }
  if (await writeNewFile(file, `${JSON.stringify(checkpoint)}\n`)) return
  throw new Fault("name_taken", `${file} is there already; choose another name.`)
}

/** Reads a checkpoint that was kept. @throws {Fault} `usage` when it can't be read, isn't one, or its signature isn't its key's. */
export async function readKeptCheckpoint(file: string): Promise<CheckpointView> {
  const text = await readFile(file, "utf8").catch((cause: unknown) => {
    const message = `${file} can't be read (${codeOf(cause) ?? "unknown error"}); check its name and owner.`
    throw new Fault("usage", message, { cause })
  })
  const parsed = checkpointSchema.safeParse(parseJson(text))
  if (parsed.success && isSigned(parsed.data)) return parsed.data
  throw new Fault(
    "usage",
    `${file} isn't a whole checkpoint; name one that countersign audit verify --checkpoint wrote.`,
  )
}
