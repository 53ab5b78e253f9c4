import { setImmediate as turnEnded } from "node:timers/promises"

import { openSqliteStore } from "../../src/vault/ledger/open-sqlite-store.ts"
import { prepareLedgerFile } from "../../src/vault/ledger/sqlite/database.ts"
import type { LedgerStore, OpenStore } from "../../src/vault/ledger/store/store.ts"
import { Disk } from "../simulation/store/disk.ts"
import { MemoryStore } from "../simulation/store/memory-store.ts"
import { ledgerPlace } from "./ledger-ask.ts"

/** Where an engine keeps one ledger, to be opened any number of times. */
export type EnginePlace = { readonly openStore: OpenStore; readonly remove: () => Promise<void> }

/** The engines of the ledger, each with a place for a new one. */
export const engines: Readonly<Record<string, () => Promise<EnginePlace>>> = {
  "SQLite in a file": inSqlite,
  "the simulator's memory": () => Promise.resolve(inMemory()),
}

async function inSqlite(): Promise<EnginePlace> {
  const place = await ledgerPlace()
  await prepareLedgerFile(place.file)
  return {
    openStore: (nowMs) => openSqliteStore(place.file, nowMs),
    remove: () => place.remove(),
  }
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
