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

const account = z.strictObject({
  accounts: z.record(z.string(), z.looseObject({ position_mode: z.string().optional() })),
  lag: z.string().optional(),
  poll: z.unknown().optional(),
  ...accountMapSchema().partial().shape,
})
type Section = z.output<typeof account>

const checkedAccount = account.superRefine((section, context) => {
  for (const { path, message } of [...missing(section), ...sideless(section)])
    context.addIssue({ code: "custom", path, message })
})

type Mistake = { readonly path: PropertyKey[]; readonly message: string }

/** What is read of accounts is orders and positions at least, or nothing. */
function missing({ poll, orders, positions, equity }: Section): readonly Mistake[] {
  if (orders !== undefined && positions !== undefined) return []
  if ((orders ?? positions ?? equity) !== undefined) {
    const message = "orders and positions are both needed; without any, a client reads the accounts"
    return [{ path: [], message }]
  }
  const message = "a client reads these accounts, at its own pace"
  return poll === undefined ? [] : [{ path: ["poll"], message }]
}

/** In hedge mode an entry without its side could be of either position. */
function sideless({ accounts, orders = [], positions }: Section): readonly Mistake[] {
  const hedged = Object.keys(accounts).find((name) => accounts[name]?.position_mode === "hedge")
  if (hedged === undefined) return []
  const message = `${hedged} is in hedge mode, where every order and position has a side; add position_side`
  const all = [
    ...orders.map(({ positionSide }, index) => ({ positionSide, path: ["orders", index] })),
    ...(positions ? [{ positionSide: positions.positionSide, path: ["positions"] }] : []),
  ]
  return all.flatMap(({ positionSide, path }) => (positionSide ? [] : [{ path, message }]))
}

const venueFile = z.looseObject({ account: checkedAccount.optional() })
