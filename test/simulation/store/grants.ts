import type { Grant } from "../../../src/vault/ledger/records/hold.ts"
import type { ActRow, RequestRow } from "../../../src/vault/ledger/records/row.ts"

/** Of those that ended so many stay. */
const maxEnded = 50

/** What acts and requests leave of grants. */
export class Grants {
  readonly #grants = new Map<string, Grant>()

  /** In the order in which they were given. */
  all(): ReadonlyMap<string, Grant> {
    return this.#grants
  }

  use({ grant: left }: RequestRow): void {
    if (left !== undefined)
      this.#grants.set(left.hold, { ...this.#grants.get(left.hold)!, ...left })
  }

  follow(row: ActRow): void {
    for (const [hold, grant] of this.#grants) {
      if (isOver(grant, row.at_ms) || !doesEnd(row, grant)) continue
      this.#grants.set(hold, { ...grant, ended: row.act })
    }
    if (row.act !== "hold_granted") return
    const ended = [...this.#grants.values()].filter((grant) => isOver(grant, row.at_ms))
    for (const { hold } of ended.slice(0, -maxEnded)) this.#grants.delete(hold)
    this.#grants.set(row.hold, {
      ...{ hold: row.hold, client: row.client, key: row.key, operation: row.operation },
      ...{ target: row.target, like: row.like, until: row.until, policy_hash: row.policy_hash },
      ...{ policy: row.policy, rule: row.rule },
      ...{ times_left: row.times_left, quantity_left: row.quantity_left },
    })
  }
}

function isOver({ ended, until, times_left, quantity_left }: Grant, nowMs: number): boolean {
  return ended !== undefined || until <= nowMs || times_left < 1 || !/[1-9]/.test(quantity_left)
}

function doesEnd(row: ActRow, grant: Grant): boolean {
  if (row.act === "restore_accepted") return true
  if (row.act === "grant_ended") return row.hold === grant.hold
  if (row.act === "set_activated") return row.hash !== grant.policy_hash
  return meant(row).some(([what, name]) => what === "all" || grant[what] === name)
}

/** Whom an act takes signing from. */
function meant(row: ActRow): (readonly ["all" | "client" | "key", string | null])[] {
  if (row.act === "client_token_set" || row.act === "client_revoked") return [["client", row.name]]
  if (row.act === "agent_revoked" || row.act === "key_removed") return [["key", row.name]]
  if (row.act === "key_replaced") return [["key", row.from]]
  return row.act === "frozen" ? [[row.scope, row.name]] : []
}
