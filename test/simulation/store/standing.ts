import type {
  Act,
  ActRow,
  ClientFields,
  FreezeFields,
  KeyFields,
  PriceFields,
  RaiseFields,
  RequestRow,
  SetFile,
  StoredHold,
} from "../../../src/vault/ledger/records/row.ts"
import type { OpenedState } from "../../../src/vault/ledger/store/store.ts"

type Named<Name extends Act["act"]> = Extract<ActRow, { readonly act: Name }>

/** What acts and requests leave standing: keys, clients, holds, freezes, nonces, and the files in force. */
export class Standing {
  readonly #keys = new Map<string, KeyFields>()
  readonly #clients = new Map<string, ClientFields>()
  readonly #holds = new Map<string, StoredHold>()
  readonly #freezes = new Map<string, FreezeFields>()
  readonly #lastNonces = new Map<string, number>()
  readonly #files = new Map<string, readonly SetFile[]>()
  readonly #prices = new Map<number, PriceFields>()
  #raises: RaiseFields[] = []
  readonly #armed = new Set<string>()
  #acceptedHash: string | undefined
  #lastSet: string | undefined
  #ledger = "0".repeat(32)

  /** A request uses its nonce up, and its release. */
  use({ signer, nonce, release }: RequestRow): void {
    this.#raise(signer, nonce)
    if (release !== undefined) this.#change(release, { state: "used" })
  }

  /** @throws when no event of a simulation makes such an act. */
  follow(row: ActRow): void {
    const followed = this.#acts[row.act] as ((of: ActRow) => unknown) | undefined // its own act's
    if (followed === undefined) throw new Error(`no event of a simulation makes ${row.act}`)
    followed(row)
  }

  opened(): Omit<OpenedState, "identity" | "ever"> & { readonly ledger: string } {
    const hash = this.#lastSet
    return {
      ledger: this.#ledger,
      keys: [...this.#keys.values()],
      clients: [...this.#clients.values()],
      lastNonces: this.#lastNonces,
      holds: [...this.#holds.values()],
      freezes: [...this.#freezes.values()],
      lastSet: hash === undefined ? undefined : { hash, files: this.#files.get(hash) ?? [] },
      prices: [...this.#prices.values()],
      raises: this.#raises,
      armed: [...this.#armed],
      acceptedHash: this.#acceptedHash,
    }
  }

  readonly #acts: { readonly [Name in Act["act"]]?: (row: Named<Name>) => unknown } = {
    key_added: ({ key }) => this.#keys.set(key.name, key),
    agent_revoked: ({ name }) =>
      this.#keys.set(name, { ...this.#keys.get(name)!, approval: "revoked" }),
    client_added: ({ client }) => this.#clients.set(client.name, client),
    client_revoked: ({ name }) =>
      this.#clients.set(name, { ...this.#clients.get(name)!, token_hash: null }),
    hold_opened: ({ at_ms, ...row }) =>
      this.#holds.set(row.hold, { ...row, opened_at: at_ms, state: "pending", decided_by: null }),
    hold_released: ({ hold, by }) => this.#change(hold, { state: "released", decided_by: by }),
    hold_refused: ({ hold, by }) => this.#change(hold, { state: "refused", decided_by: by }),
    frozen: (row) => {
      this.#freezes.delete(nameOf(row)) // the later one comes last
      this.#freezes.set(nameOf(row), row)
    },
    thawed: (row) => this.#freezes.delete(nameOf(row)),
    heartbeat_armed: ({ client }) => {
      this.#armed.delete(client) // the later one comes last
      this.#armed.add(client)
    },
    heartbeat_missed: ({ client }) => this.#armed.delete(client),
    price_set: (row) => {
      this.#prices.delete(row.symbol_id)
      this.#prices.set(row.symbol_id, row)
    },
    limit_raised: (row) => {
      this.#endRaise(row.limit)
      this.#raises.push(row)
    },
    limit_raise_ended: ({ limit }) => {
      this.#endRaise(limit)
    },
    set_accepted: ({ hash }) => (this.#acceptedHash = hash),
    set_activated: ({ hash, files }) => {
      this.#lastSet = hash
      if (files !== undefined) this.#files.set(hash, files)
    },
    restore_accepted: ({ ledger, signers }) => {
      this.#ledger = ledger
      for (const { signer, nonce } of signers) this.#raise(signer, nonce)
    },
    started: nothing,
    locked: nothing,
    unlocked: nothing,
    clock_accepted: nothing,
  }

  #raise(signer: string, nonce: number): void {
    this.#lastNonces.set(signer, Math.max(nonce, this.#lastNonces.get(signer) ?? 0))
  }

  /** Of older versions' ledgers, which name a limit without its policy, none is simulated. */
  #endRaise(limit: string): void {
    this.#raises = this.#raises.filter((raise) => raise.limit !== limit)
  }

  #change(hold: string, changes: Partial<StoredHold>): void {
    this.#holds.set(hold, { ...this.#holds.get(hold)!, ...changes })
  }
}

function nothing(): void {
  // changes nothing that stands
}

function nameOf({ scope, name }: Pick<FreezeFields, "scope" | "name">): string {
  return `${scope} ${name ?? ""}`
}
