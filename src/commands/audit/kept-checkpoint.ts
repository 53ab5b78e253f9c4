import { readFile } from "node:fs/promises"

import { checkpointSchema, type CheckpointView } from "../../link/calls/audit-methods.ts"
import { Fault } from "../../std/fault.ts"
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

/** Reads a checkpoint that was kept. @throws {Fault} `usage` when it isn't one, or its signature isn't its key's. */
export async function readKeptCheckpoint(file: string): Promise<CheckpointView> {
  const parsed = checkpointSchema.safeParse(await readJson(file))
  if (parsed.success && isSigned(parsed.data)) return parsed.data
  throw new Fault(
    "usage",
    `${file} isn't a whole checkpoint; name one that countersign audit verify --checkpoint wrote.`,
  )
}

async function readJson(file: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(file, "utf8")) as unknown
  } catch {
    return undefined
  }
}
