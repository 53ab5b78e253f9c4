import type {
  ActRow,
  JournalRow,
  OutcomeRow,
  RequestRow,
} from "../../../src/vault/ledger/records/row.ts"
import { fileSets, policies, type SimPolicy } from "../site.ts"

/** A request as the journal has it, with what the checker makes of it by itself. */
export type Recorded = {
  readonly row: RequestRow
  /** Its place in the journal, from 0. */
  readonly place: number
  /** The policy that was in force when it was recorded. */
  readonly policy: SimPolicy
  readonly lane: "open" | "reduce" | "cancel"
  /** How many, of what each costs 1. */
  readonly quantity: number
  /** Where the journal says that its room is free again: the venue refused its only send. */
  givenBackAt: number | undefined
  outcomes: readonly OutcomeRow[]
}

type Act<Name extends ActRow["act"]> = Extract<ActRow, { readonly act: Name }>

type HoldState = {
  readonly opened: Act<"hold_opened">
  state: "pending" | "released" | "refused" | "used"
}

/** What a reader of the journal knows after each of its rows. He shares nothing with the vault but what rows are. */
export class JournalReader {
  readonly requests: Recorded[] = []
  readonly byRecord = new Map<string, Recorded>()
  readonly freezes = new Map<string, Act<"frozen">>()
  readonly holds = new Map<string, HoldState>()
  readonly ended = new Set<string>()
  readonly lastNonces = new Map<string, number>()
  /** The request that has a client's key. */
  readonly byKey = new Map<string, Recorded>()
  policy: SimPolicy = policies[0]!
  rows = 0

  /** Goes on with the next row. `check` sees each request before it counts. */
  read(row: JournalRow, check: (recorded: Recorded) => void = () => undefined): void {
    const place = this.rows
    this.rows += 1
    if (row.kind === "act") (this.#acts[row.act] as ((of: ActRow) => unknown) | undefined)?.(row)
    if (row.kind === "outcome") this.#hear(row, place)
    if (row.kind !== "request") return
    const recorded = recordedBy(row, place, this.policy)
    check(recorded)
    this.#count(recorded)
  }

  #count(recorded: Recorded): void {
    const { row } = recorded
    this.requests.push(recorded)
    this.byRecord.set(row.id, recorded)
    this.lastNonces.set(row.signer, row.nonce)
    if (row.idempotency !== undefined) {
      this.byKey.set(keyName(row.client, row.idempotency), recorded)
    }
    const hold = row.release === undefined ? undefined : this.holds.get(row.release)
    if (hold !== undefined) hold.state = "used"
  }

  #hear(row: OutcomeRow, place: number): void {
    const recorded = this.byRecord.get(row.record)
    if (recorded === undefined) throw new Error("an outcome came before its request")
    if (isRefusalOfOnlySend(recorded.outcomes, row)) recorded.givenBackAt ??= place
    recorded.outcomes = [...recorded.outcomes, row]
  }

  readonly #acts: { readonly [Name in ActRow["act"]]?: (row: Act<Name>) => unknown } = {
    set_activated: ({ hash }) => (this.policy = policies[placeOfFiles(hash)]!),
    frozen: (row) => this.freezes.set(scopeName(row), row),
    thawed: (row) => this.freezes.delete(scopeName(row)),
    client_revoked: ({ name }) => this.ended.add(name),
    agent_revoked: ({ name }) => this.ended.add(name),
    hold_opened: (row) => this.holds.set(row.hold, { opened: row, state: "pending" }),
    hold_released: ({ hold }) => this.#decide(hold, "released"),
    hold_refused: ({ hold }) => this.#decide(hold, "refused"),
  }

  #decide(id: string, state: HoldState["state"]): void {
    const hold = this.holds.get(id)
    if (hold?.state !== "pending") throw new Error("a hold was decided that didn't wait")
    hold.state = state
  }
}

function recordedBy(row: RequestRow, place: number, policy: SimPolicy): Recorded {
  const fields = JSON.parse(row.body) as { readonly quantity?: string; readonly flags?: unknown }
  const orderLane = fields.flags === undefined ? "open" : "reduce"
  return {
    ...{ row, place, policy, quantity: Number(fields.quantity ?? 0) },
    lane: row.operation === "cancelOrder" ? "cancel" : orderLane,
    ...{ givenBackAt: undefined, outcomes: [] },
  }
}

function placeOfFiles(hash: string): number {
  return fileSets.findIndex(({ policyHash }) => policyHash === hash)
}

function scopeName({
  scope,
  name,
}: {
  readonly scope: string
  readonly name: string | null
}): string {
  return `${scope} ${name ?? ""}`
}

/** `client by:key`. */
export function keyName(
  client: string,
  { by, key }: { readonly by: string; readonly key: string },
): string {
  return `${client} ${by}:${key}`
}

/** Of what was heard before and is heard now: one send, and nothing but the venue's refusal of it. */
function isRefusalOfOnlySend(before: readonly OutcomeRow[], now: OutcomeRow): boolean {
  if (now.outcome !== "refused" || now.again === true) return false
  if (before.some(({ outcome }) => outcome !== "sent" && outcome !== "unsent")) return false
  let sends = 0
  for (const { outcome, withdrawn } of before) {
    if (outcome === "sent") sends += 1
    if (withdrawn === true && sends === 1) sends = 0
  }
  return sends === 1
}
