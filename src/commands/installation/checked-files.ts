import * as z from "zod"

import { accountMapSchema } from "../../gate/reads/account-map.ts"
import { parseYaml, type Problem } from "../../std/yaml-file.ts"
import type { Installation } from "../../vault/config/installation.ts"
import { type FileSet, invalidFiles, loadFiles } from "../../vault/config/load-files.ts"

/**
 * Loads the files as the vault does, and checks what of them the gate alone understands.
 *
 * @throws {Fault} as `loadFiles`.
 */
export async function loadCheckedFiles(installation: Installation): Promise<FileSet> {
  return checkedFiles(await loadFiles(installation), installation)
}

/** @throws {Fault} `config_invalid` of files that the vault takes and the gate couldn't read accounts by. */
export function checkedFiles(files: FileSet, installation: Installation): FileSet {
  if (files.profile.accountPoll === undefined) return files
  const venue = files.texts.filter(({ name }) => name === "venue.yaml")
  const problems = venue.flatMap(({ text, name }) => accountProblems(text, name))
  if (problems.length > 0) throw invalidFiles(problems, installation)
  return files
}

/** The mistakes in what venue.yaml's `account` says of answers. All else of it, the vault has read. */
export function accountProblems(text: string, file: string): readonly Problem[] {
  const read = parseYaml(text, file, venueFile)
  return read.ok ? [] : read.error
}

const account = z
  .looseObject({
    accounts: z.record(z.string(), z.looseObject({ position_mode: z.string().optional() })),
    ...accountMapSchema().shape,
  })
  .superRefine(({ accounts, orders, positions }, context) => {
    // There an entry without its side could be of either position.
    const hedged = Object.keys(accounts).find((name) => accounts[name]?.position_mode === "hedge")
    const message = `${hedged} is in hedge mode, where every order and position has a side; add position_side`
    const read = [
      ...orders.map((each, index) => ({ ...each, at: ["orders", index] })),
      { ...positions, at: ["positions"] },
    ]
    for (const { positionSide, at: path } of read) {
      if (hedged !== undefined && positionSide === undefined)
        context.addIssue({ code: "custom", path, message })
    }
  })

const venueFile = z.looseObject({ account: account.optional() })
