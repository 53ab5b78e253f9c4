import { Fault } from "../../std/fault.ts"
import type { Opened } from "./ledger.ts"
import { isSafety, isSetting, isStop } from "./records/act-row.ts"
import type { AdminEntry } from "./records/admin-entry.ts"

/** The names of keys and clients, including those of acts that still wait for their commit. */
export type Names = {
  /** Takes the names that an act adds. @throws {Fault} `name_taken`, `name_unknown`; nothing changes then. */
  follow(entry: AdminEntry): void
}

/** Starts with the names that are in the ledger. */
export function openNames(opened: Pick<Opened, "keys" | "clients">): Names {
  const keys = new Set(opened.keys.map(({ name }) => name))
  const clients = new Set(opened.clients.map(({ name }) => name))
  return {
    follow(entry) {
      if (isSetting(entry) || isSafety(entry) || isStop(entry)) return
      switch (entry.act) {
        case "key_added":
          take(entry.key.name, keys, "key")
          break
        case "client_added":
          take(entry.client.name, clients, "client")
          break
        case "agent_approved":
        case "agent_revoked":
        case "key_removed":
        case "key_targets_set":
          assertKnown(entry.name, keys, "key")
          break
        case "key_replaced":
          assertKnown(entry.from, keys, "key")
          assertKnown(entry.to, keys, "key")
          break
        case "client_token_set":
        case "client_revoked":
          assertKnown(entry.name, clients, "client")
          break
        case "key_exported": // is recorded even of a key that only the key store knows
        case "started":
        case "locked":
        case "unlocked":
        case "archived":
          break
      }
    },
  }
}

function take(name: string, taken: Set<string>, what: string): void {
  if (taken.has(name)) {
    throw new Fault("name_taken", `There is a ${what} named ${name} already; choose another name.`)
  }
  taken.add(name)
}

function assertKnown(name: string, known: ReadonlySet<string>, what: "key" | "client"): void {
  if (known.has(name)) return
  throw new Fault(
    "name_unknown",
    `The ledger has no ${what} named ${name}; countersign ${what}s list shows them.`,
  )
}
