import type { Client, KeyEntry } from "../../../src/vault/ledger/records/bindings.ts"
import type { Freeze, FreezeScope } from "../../../src/vault/ledger/records/freeze.ts"
import type { GuardState, MarksFields } from "../../../src/vault/ledger/records/guard-rows.ts"
import type { Hold } from "../../../src/vault/ledger/records/hold.ts"
import type { PriceFields } from "../../../src/vault/ledger/records/prices.ts"
import type { Act, ActRow, Raise, RequestRow } from "../../../src/vault/ledger/records/row.ts"
import type { OpenedState } from "../../../src/vault/ledger/store/store.ts"
import { Grants } from "./grants.ts"

type OpenedFiles = NonNullable<OpenedState["lastSet"]>["files"]
type Named<Name extends Act["act"]> = Extract<ActRow, { readonly act: Name }>

/** What acts and requests leave standing: keys, clients, holds, freezes, nonces, and the files in force. */
export class Standing {
  readonly #keys = new Map<string, KeyEntry>()
  readonly #clients = new Map<string, Client>()
  readonly #holds = new Map<string, Hold>()
  readonly #freezes = new Map<string, Freeze>()
  readonly #lastNonces = new Map<string, number>()
  readonly #files = new Map<string, OpenedFiles>()
  readonly #prices = new Map<string, PriceFields>()
  #raises: Raise[] = []
  readonly #armed = new Set<string>()
  readonly #marks = new Map<string, MarksFields>()
  readonly #guards = new Map<string, GuardState>()
  readonly #grants = new Grants()
  #acceptedHash: string | undefined
  #lastSet: string | undefined
  #ledger = "0".repeat(32)

  /** A request uses its nonce up, and its release or what it takes of its grant. */
  use(row: RequestRow): void {
    const { signer, nonce, release } = row
    this.#raise(signer, nonce)
    this.#grants.use(row)
    if (release !== undefined) this.#change(release, { state: "used" })
  }

  /** @throws when no event of a simulation makes such an act. */
  follow(row: ActRow): void {
    const followed = this.#acts[row.act] as ((of: ActRow) => unknown) | undefined // its own act's
    if (followed === undefined) throw new Error(`no event of a simulation makes ${row.act}`)
    followed(row)
    this.#grants.follow(row)
  }

  opened(): Omit<OpenedState, "identity" | "ever"> & { readonly ledger: string } {
    const hash = this.#lastSet
    return {
      ledger: this.#ledger,
      standing: {
        keys: this.#keys,
        clients: this.#clients,
        prices: this.#prices,
        raises: new Map(this.#raises.map((raise) => [raise.limit, raise])),
        freezes: this.#freezes,
        armed: new Map([...this.#armed].map((client) => [client, { client }])),
        accepted: new Map(
          this.#acceptedHash === undefined ? [] : [["files", { hash: this.#acceptedHash }]],
        ),
        ...{ marks: this.#marks, guards: this.#guards, grants: this.#grants.all() },
      },
      lastNonces: this.#lastNonces,
      holds: [...this.#holds.values()],
      lastSet: hash === undefined ? undefined : { hash, files: this.#files.get(hash) ?? [] },
    }
  }

  readonly #acts: { readonly [Name in Act["act"]]?: (row: Named<Name>) => unknown } = {
    key_added: ({ key }) => this.#keys.set(key.name, key),
    key_removed: ({ name }) => this.#changeKey(name, { approval: "removed" }),
    key_targets_set: ({ name, targets }) => this.#changeKey(name, { targets }),
    key_replaced: ({ from, to }) => {
      if (this.#isInUse(from)) this.#changeKey(from, { approval: "retired" })
      for (const [name, client] of this.#clients) {
        const keys = client.keys.map((key) => (key === from ? to : key))
        const once = keys.filter((key, place) => keys.indexOf(key) === place)
        this.#clients.set(name, { ...client, keys: once as [string, ...string[]] })
      }
    },
    agent_approved: ({ name, expires_at, wallet }) => {
      if (!this.#isInUse(name)) return
      this.#changeKey(name, { approval: "approved", expires_at })
      if (wallet !== undefined) this.#changeKey(name, { wallet })
    },
    agent_revoked: ({ name }) => {
      if (this.#keys.get(name)?.approval !== "removed")
        this.#changeKey(name, { approval: "revoked" })
    },
    client_added: ({ client }) => this.#clients.set(client.name, client),
    client_set: ({ client }) => this.#clients.set(client.name, client),
    client_token_set: ({ name, token_hash }) =>
      this.#clients.set(name, { ...this.#clients.get(name)!, token_hash }),
    client_revoked: ({ name }) =>
      this.#clients.set(name, { ...this.#clients.get(name)!, token_hash: null }),
    hold_opened: (row) =>
      this.#holds.set(row.hold, {
        ...said(row),
        opened_at: row.at_ms,
        state: "pending",
        decided_by: null,
      }),
    hold_released: ({ hold, by }) => this.#change(hold, { state: "released", decided_by: by }),
    hold_granted: ({ hold, by }) => this.#change(hold, { state: "granted", decided_by: by }),
    grant_ended: nothing,
    hold_refused: ({ hold, by }) => this.#change(hold, { state: "refused", decided_by: by }),
    frozen: (row) => {
      this.#freezes.delete(nameOf(row)) // the later one comes last
      this.#freezes.set(nameOf(row), said(row))
    },
    thawed: (row) => this.#freezes.delete(nameOf(row)),
    heartbeat_armed: ({ client }) => {
      this.#armed.delete(client) // the later one comes last
      this.#armed.add(client)
    },
    heartbeat_missed: ({ client }) => this.#armed.delete(client),
    price_set: (row) => {
      this.#prices.delete(`${row.symbol_id}`)
      this.#prices.set(`${row.symbol_id}`, said(row))
    },
    limit_raised: (row) => {
      this.#endRaise(row.limit)
      this.#raises.push(said(row))
    },
    limit_raise_ended: ({ limit }) => {
      this.#endRaise(limit)
    },
    account_marked: (row) => {
      this.#marks.delete(row.account) // the later one comes last
      this.#marks.set(row.account, said(row, ["anchored", "deposit", "reason"]))
      for (const [name, { account }] of this.#guards)
        if (row.anchored === true && account === row.account) this.#guards.delete(name)
    },
    guard_tripped: (row) => this.#guard(said(row, ["lost"])),
    guard_rearmed: (row) => this.#guard(said(row, ["reason"])),
    set_accepted: ({ hash }) => (this.#acceptedHash = hash),
    set_activated: ({ hash, files }) => {
      this.#lastSet = hash
      if (files !== undefined) this.#files.set(hash, files)
    },
    restore_accepted: ({ ledger, signers }) => {
      this.#ledger = ledger
      for (const { signer, nonce } of signers) this.#raise(signer, nonce)
      for (const [account, marks] of this.#marks)
        this.#marks.set(account, { ...marks, mapping: "restored" })
    },
    started: nothing,
    locked: nothing,
    unlocked: nothing,
    clock_accepted: nothing,
  }

  #guard(state: GuardState): void {
    const name = `${state.guard} ${state.account}`
    this.#guards.delete(name) // the later one comes last
    this.#guards.set(name, state)
  }

  #changeKey(name: string, changes: Partial<KeyEntry>): void {
    this.#keys.set(name, { ...this.#keys.get(name)!, ...changes })
  }

  #isInUse(name: string): boolean {
    return ["unknown", "approved"].includes(this.#keys.get(name)!.approval)
  }

  #raise(signer: string, nonce: number): void {
    this.#lastNonces.set(signer, Math.max(nonce, this.#lastNonces.get(signer) ?? 0))
  }

  /** Of older versions' ledgers, which name a limit without its policy, none is simulated. */
  #endRaise(limit: string): void {
    this.#raises = this.#raises.filter((raise) => raise.limit !== limit)
  }

  #change(hold: string, changes: Partial<Hold>): void {
    this.#holds.set(hold, { ...this.#holds.get(hold)!, ...changes })
  }
}

/** What a row says besides what every row does, and what doesn't stand. */
function said<Row extends ActRow>(row: Row, passing: readonly string[] = []): Row {
  const common = ["seq", "kind", "id", "at_ms", "act", ...passing]
  return Object.fromEntries(Object.entries(row).filter(([name]) => !common.includes(name))) as Row
}

function nothing(): void {
  // changes nothing that stands
}

function nameOf({ scope, name }: FreezeScope): string {
  return `${scope} ${name ?? ""}`
}
