import type { ClientView } from "../../link/views/views.ts"
import { Fault } from "../../std/fault.ts"
import { problemText } from "../../std/yaml-file.ts"
import type { FileSet } from "../../vault/config/file-set.ts"
import { parseFileSet } from "../../vault/config/parse-file-set.ts"
import { appliesTo } from "../../vault/policy/judged/judged-order.ts"
import { option } from "../cli/options.ts"
import type { Admin } from "../installation/admin.ts"
import { adminCommand } from "../installation/admin-command.ts"
import { raiseLines } from "../limits/raise-lines.ts"
import { describePolicy, type Described } from "./describe.ts"

/** What a client may do, by the files in force. */
type ShownClient = {
  readonly client: string
  readonly keys: readonly string[]
  readonly entries: readonly Described[]
}

/** `countersign policy show [--client NAME]` */
export const policyShow = adminCommand({
  description: "say in plain words what a bot may do, or what each may",
  examples: ["countersign policy show", "countersign policy show --client mm-bot"],
  options: { client: option("--client <name>", "the bot; left out, all that aren't revoked") },
  call: async (admin, { client }) => {
    const clients = await admin.call("listClients", {})
    const files = await filesInForce(admin)
    const chosen =
      client === undefined ? clients.filter(({ revoked }) => !revoked) : [named(client, clients)]
    const raises = await admin.call("listRaises", {})
    return { raises, shown: chosen.map((each) => shownClient(each, files)) }
  },
  json: ({ shown }) => shown,
  print: ({ raises, shown }) => [
    ...raiseLines(raises),
    ...(shown.length === 0
      ? ["No clients yet; countersign clients add makes one."]
      : shown.flatMap((each, index) => [...(index === 0 ? [] : [""]), ...clientLines(each)])),
  ],
})

/** The files in force, as the daemon has them. */
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
