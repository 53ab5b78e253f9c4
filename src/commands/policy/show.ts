import { filesNamed } from "../../audit/past-files.ts"
import type { AdminResults } from "../../link/calls/methods.ts"
import type { ClientView, Warning } from "../../contract/views.ts"
import { Fault } from "../../std/fault.ts"
import { visible } from "../../std/visible.ts"
import { problemText } from "../../std/yaml-file.ts"
import { type FileSet, type FileText, parseFileSet } from "../../vault/config/load-files.ts"
import { appliesTo } from "../../vault/policy/match/judged-request.ts"
import { option, optionalArgument } from "../cli/options.ts"
import type { Admin } from "../installation/admin.ts"
import { adminCommand } from "../installation/installation-command.ts"
import { raiseLines, differLines } from "./in-force.ts"
import { describePolicy, type Described } from "./describe.ts"

/** What a client may do, by the files in force. */
type ShownClient = {
  readonly client: string
  readonly keys: readonly string[]
  readonly entries: readonly Described[]
}

type Shown =
  | { readonly files: readonly FileText[] }
  | {
      readonly differ: Warning | null
      readonly raises: AdminResults["listRaises"]
      readonly clients: readonly ShownClient[]
    }

/** `countersign policy show [HASH] [--client NAME]` */
export const policyShow = adminCommand<
  Shown,
  { hash?: string | undefined; client?: string | undefined }
>({
  description:
    "say in plain words what a bot may do, or what each may; or show the files that a hash names",
  examples: ["countersign policy show", "countersign policy show --client mm-bot"],
  options: {
    hash: optionalArgument(
      "[hash]",
      "a record's policy_hash: shows the files that it was judged by",
    ),
    client: option("--client <name>", "the bot; left out, all that aren't revoked"),
  },
  call: async (admin, { hash, client }) => {
    if (hash !== undefined) {
      return { files: await admin.readLedger((ledger) => filesNamed(ledger, hash)) }
    }
    const clients = await admin.call("listClients", {})
    const files = await filesInForce(admin)
    const chosen =
      client === undefined ? clients.filter(({ revoked }) => !revoked) : [named(client, clients)]
    const raises = await admin.call("listRaises", {})
    const { differ } = await admin.call("filesOnDisk", {})
    return { differ, raises, clients: chosen.map((each) => shownClient(each, files)) }
  },
  json: (shown) => ("files" in shown ? shown.files : shown.clients),
  print: (shown) => {
    if ("files" in shown) return shown.files.flatMap(fileLines)
    const { differ, raises, clients } = shown
    const lines = clients.flatMap((each, index) => [
      ...(index === 0 ? [] : [""]),
      ...clientLines(each),
    ])
    const none = "No clients yet; countersign clients add makes one."
    return [...differLines(differ), ...raiseLines(raises), ...(lines.length === 0 ? [none] : lines)]
  },
})

function fileLines({ name, text }: FileText, index: number): readonly string[] {
  const lines = text
    .trimEnd()
    .split("\n")
    .map((line) => `  ${visible(line)}`.trimEnd())
  return [...(index === 0 ? [] : [""]), visible(name), ...lines]
}

/** The files in force, as the vault has them. */
export async function filesInForce(admin: Pick<Admin, "call">): Promise<FileSet> {
  const pieces = Map.groupBy(await admin.call("filesInForce", {}), ({ name }) => name)
  const texts = [...pieces].map(([name, own]) => ({
    name,
    text: own.map(({ text }) => text).join(""),
  }))
  const files = parseFileSet(texts)
  if (files.ok) return files.value
  throw new Fault("config_invalid", files.error.map(problemText).join("\n"))
}

function named(name: string, clients: readonly ClientView[]): ClientView {
  const client = clients.find((each) => each.name === name)
  if (client !== undefined) return client
  throw new Fault(
    "name_unknown",
    `There is no client ${name}; countersign clients list shows them.`,
  )
}

function shownClient({ name, keys }: ClientView, files: FileSet): ShownClient {
  const policies = files.policies.filter((policy) =>
    keys.some((key) => appliesTo(policy, name, key)),
  )
  const entries = policies.flatMap((policy) => describePolicy(policy, files.profile.symbols))
  return { client: name, keys, entries }
}

function clientLines({ client, keys, entries }: ShownClient): readonly string[] {
  const allowed = entries.some(({ kind }) => kind === "allows")
  return [
    `${client} uses the keys ${keys.join(", ")}. ${allowed ? "A request must be allowed by one entry as a whole, and denied by none:" : "No rule allows it anything."}`,
    ...entries.map(
      ({ kind, policy, entry, file, line, words }) =>
        `  ${kind.padEnd(6)} ${words}  (${policy}/${entry}, ${file}:${line})`,
    ),
  ]
}
