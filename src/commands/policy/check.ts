import type { ClientView } from "../../contract/views.ts"
import type { KeyView } from "../../contract/bot-views.ts"
import { Fault } from "../../std/fault.ts"
import { isThere } from "../../std/private-file.ts"
import { pathsOf, type Installation } from "../../vault/config/installation.ts"
import type { Policy } from "../../vault/policy/terms.ts"
import { flag } from "../cli/command.ts"
import { loadCheckedFiles } from "../installation/checked-files.ts"
import { becomeOwner } from "../installation/usual-installation.ts"
import { installationCommand } from "../installation/installation-command.ts"
import { withAdmin } from "../installation/admin.ts"
import { fileWarnings } from "./file-warnings.ts"
import { guardRoom } from "./guard-room.ts"

/** `countersign policy check` */
export const policyCheck = installationCommand({
  description: "read countersign.yaml, venue.yaml and every policy, and say what is wrong",
  examples: [
    "countersign policy check",
    "countersign policy check --strict --dir ~/countersign-try",
  ],
  options: { strict: flag("--strict", "fail where there is a warning, for scripts") },
  answer: async (installation) => {
    becomeOwner(installation.stateDir)
    const files = await loadCheckedFiles(installation)
    const names = await checkNames(files.policies, installation)
    const room = guardRoom(files)
    return {
      valid: true,
      policy_hash: files.policyHash,
      policies: files.policies.map((policy) => policy.name),
      warnings: [...fileWarnings(files), ...room.warnings, ...names.warnings],
      notes: [...room.notes, ...names.notes],
    }
  },
  print: ({ policies, warnings, notes }) => [
    policies.length === 0
      ? "All files are valid. No policy has a rule, so nothing is allowed."
      : `All files are valid. Policies: ${policies.join(", ")}.`,
    ...warnings.map((warning) => `warning: ${warning}`),
    ...notes.map((note) => `note: ${note}`),
  ],
  exitCode: ({ warnings }, { strict }) => (strict && warnings.length > 0 ? 1 : 0),
})

type CheckedNames = {
  readonly warnings: readonly string[]
  /** Why names weren't checked, where they weren't. */
  readonly notes: readonly string[]
}

/** Holds the names in applies_to against the clients and keys that there are: a misspelt one switches a file off. */
async function checkNames(
  policies: readonly Policy[],
  installation: Installation,
): Promise<CheckedNames> {
  if (!policies.some(({ appliesTo }) => appliesTo.clients ?? appliesTo.keys)) return nothing
  const { ledgerFile } = pathsOf(installation)
  if (!isThere(ledgerFile)) return unchecked(`there is no ${ledgerFile}`)
  try {
    const { clients, keys } = await withAdmin(installation, async (admin) => ({
      clients: await admin.call("listClients", {}),
      keys: await admin.call("listKeys", {}),
    }))
    return { warnings: nameWarnings(policies, { clients, keys }), notes: [] }
  } catch (error) {
    if (error instanceof Fault) return unchecked(error.message)
    throw error
  }
}

const nothing: CheckedNames = { warnings: [], notes: [] }

function unchecked(why: string): CheckedNames {
  return { warnings: [], notes: [`The names in applies_to weren't checked: ${why}`] }
}

/** The names in applies_to that nobody has, and files that are for no client with any of its keys. */
export function nameWarnings(
  policies: readonly Policy[],
  known: { readonly clients: readonly ClientView[]; readonly keys: readonly KeyView[] },
): readonly string[] {
  const clients = known.clients.filter(({ revoked }) => !revoked)
  const keys = known.keys.filter(({ approval }) => approval !== "removed")
  const missing = (kind: "client" | "key", wanted: readonly string[] = []) => {
    const names = (kind === "client" ? clients : keys).map(({ name }) => name)
    return wanted.filter((name) => !names.includes(name)).map((name) => ({ kind, name }))
  }
  return policies.flatMap(({ file, appliesTo }) => {
    const absent = [...missing("client", appliesTo.clients), ...missing("key", appliesTo.keys)]
    if (absent.length > 0) {
      return absent.map(
        ({ kind, name }) =>
          `applies_to in ${file} names the ${kind} ${name}, and there is no such ${kind}: nothing in the file holds for it.`,
      )
    }
    const { clients: ours, keys: theirs } = appliesTo
    const isForSomebody = clients.some(
      (client) =>
        (ours?.includes(client.name) ?? true) &&
        (theirs === undefined || client.keys.some((name) => theirs.includes(name))),
    )
    return isForSomebody
      ? []
      : [`applies_to in ${file} holds for nobody: no client that it is for has one of its keys.`]
  })
}
