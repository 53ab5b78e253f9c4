import { setImmediate as turnEnded } from "node:timers/promises"

import { openSqliteStore } from "../../src/vault/ledger/open-sqlite-store.ts"
import { prepareLedgerFile } from "../../src/vault/ledger/sqlite/database.ts"
import type { LedgerStore, OpenStore } from "../../src/vault/ledger/store/store.ts"
import { Disk } from "../simulation/store/disk.ts"
import { MemoryStore } from "../simulation/store/memory-store.ts"
import { ledgerPlace } from "./ledger-ask.ts"
import type { VaultElsewhere } from "./open-test-vault.ts"

/** Where an engine keeps one ledger, to be opened any number of times. */
export type EnginePlace = { readonly openStore: OpenStore; readonly remove: () => Promise<void> }

/** With the file that holds its entries, or a whole copy of them. */
export type FilePlace = EnginePlace & { readonly file: string }

/** An engine with a file. */
export type FileEngine = {
  readonly name: string
  /** How many of a property's random cases are tried, as a part of all. */
  readonly share: number
  /** For a new ledger. */
  readonly place: () => Promise<FilePlace>
  /** Where the ledger of a vault goes; left out where that is its own file. */
  readonly elsewhere: () => VaultElsewhere | undefined
}

export const sqliteInFile: FileEngine = {
  name: "SQLite in a file",
  share: 1,
  place: inSqlite,
  elsewhere: () => undefined,
}

/** The engines of the ledger that need nothing but this process, each with a place for a new one. */
export const engines: Readonly<Record<string, () => Promise<EnginePlace>>> = {
  [sqliteInFile.name]: inSqlite,
  "the simulator's memory": () => Promise.resolve(inMemory()),
}

async function inSqlite(): Promise<FilePlace> {
  const place = await ledgerPlace()
  await prepareLedgerFile(place.file)
  return { ...place, openStore: (nowMs) => openSqliteStore(place.file, nowMs) }
}

/** In memory, where all that is asked becomes durable soon. */
export function inMemory(disk = new Disk()): EnginePlace {
  return {
    openStore: () => {
      const store = new MemoryStore(disk)
      const state = store.state()
      void keepCommitting(store)
      return Promise.resolve({ store, state })
    },
    remove: () => Promise.resolve(),
  }
}

async function keepCommitting(store: MemoryStore): Promise<void> {
  while (!isClosed(store) || !store.isIdle) {
    await turnEnded()
    store.commit(Infinity)
    store.tell()
  }
}

function isClosed(store: LedgerStore): boolean {
  try {
    store.assertOpen()
    return false
  } catch {
    return true
  }
}
