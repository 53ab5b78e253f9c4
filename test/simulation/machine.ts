import { adminMethods } from "../../src/vault/admin-methods.ts"
import { botMethods } from "../../src/vault/bot-methods.ts"
import type { Vault } from "../../src/vault/vault.ts"
import { fakeKeyStore } from "./fake-curve.ts"
import { quiet } from "./loop.ts"
import { simulatedClock } from "./simulated-clock.ts"
import { openSimulatedVault } from "./simulated-vault.ts"
import { fileSets } from "./site.ts"
import type { Disk, Torn } from "./store/disk.ts"
import { MarkShelf } from "./store/mark-shelf.ts"
import { MemoryStore } from "./store/memory-store.ts"

/** One run of the daemon, from its start to its end, however that comes. */
export type Life = {
  readonly store: MemoryStore
  readonly vault: Vault
  readonly bots: ReturnType<typeof botMethods>
  readonly admin: ReturnType<typeof adminMethods>
  readonly unlock: () => Promise<void>
}

/** The machine that the daemon runs on: clocks, a disk, the signers' marks, and at most one vault. */
export class Machine {
  readonly clock = simulatedClock()
  readonly disk: Disk
  readonly shelf: MarkShelf
  life: Life | undefined
  /** The policy whose files are on the disk. */
  policy = 0

  constructor(disk: Disk, shelf = new MarkShelf()) {
    this.disk = disk
    this.shelf = shelf
  }

  /** Starts the daemon, unless it runs. With `dies` the power goes after so many commits. */
  async start(dies = Infinity): Promise<void> {
    if (this.life !== undefined) return
    const store = new MemoryStore(this.disk)
    if (store.tables.entries.length !== this.disk.durable().length) {
      throw new Error("a start believes what was never written whole")
    }
    const opening = this.#open(store)
    const isOpen = settled(opening)
    for (let commits = 0; !isOpen() && commits < dies; commits += 1) await this.flush(store)
    if (isOpen()) this.life = await opening
    else {
      store.crash("nothing")
      this.shelf.crash(false)
    }
  }

  /** The vault as a start finds it, before it serves anybody. The machine is of no use after that. */
  async look(): Promise<Vault> {
    const store = new MemoryStore(this.disk)
    const opening = this.#openVault(store)
    const isOpen = settled(opening)
    while (!isOpen()) await this.flush(store)
    return opening
  }

  #openVault(store: MemoryStore): Promise<Vault> {
    const { clock, policy } = this
    const files = fileSets[policy]!
    return openSimulatedVault({ store, clock, signers: this.shelf.opener(), files })
  }

  async #open(store: MemoryStore): Promise<Life> {
    const vault = await this.#openVault(store)
    // As the daemon records its start.
    const { policyHash, policyHash: hash, texts } = vault.active()
    await vault.act({ act: "started", policy_hash: policyHash })
    if (vault.ledger.lastSet?.hash !== hash) {
      await vault.act({ act: "set_activated", hash, files: texts })
    }
    // Unlocking reads files; here it is what comes after that.
    const unlock = async () => {
      await vault.keyring.unlock(fakeKeyStore(), () => undefined)
      await vault.act({ act: "unlocked" })
    }
    return { store, vault, bots: botMethods(vault), admin: adminMethods(vault), unlock }
  }

  crash(torn: Torn): void {
    this.life?.store.crash(torn)
    this.shelf.crash(torn === "all")
    this.life = undefined
  }

  /** Ends the daemon as a signal does. */
  async stop(): Promise<void> {
    const { life } = this
    if (life === undefined) return
    const isClosed = settled(life.vault.close())
    while (!isClosed()) await this.flush(life.store)
    this.shelf.crash(true)
    this.life = undefined
  }

  /** Makes all durable that waits, and tells of it. */
  async flush(store: MemoryStore): Promise<void> {
    await quiet()
    store.commit(Infinity)
    store.tell()
    this.shelf.write()
    await quiet()
  }
}

/** Tells whether it has come to an end. */
function settled(work: Promise<unknown>): () => boolean {
  let isSettled = false
  const settle = (): void => void (isSettled = true)
  work.then(settle, settle)
  return () => isSettled
}
