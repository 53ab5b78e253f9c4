import type { BudgetScope, Spending } from "./budgets.ts"

/** A request's place in the line of those that wait for room. */
export type Place = symbol

/** What waits, each in its place, as it came. */
export type BudgetLine = Map<Place, InLine>

export type InLine = {
  readonly spending: Spending
  /** Of what reduces risk: those with a lower one go first. */
  readonly turn: number
  /** The budgets in which it stood before those behind it when it was looked at last. */
  takes: readonly BudgetScope[]
}

/** Puts a request in line: at the end, or where it is already with what it spends by now. */
export function putInLine(
  line: BudgetLine,
  spending: Spending & { readonly place: Place },
  takes: readonly BudgetScope[],
): void {
  const turn = line.get(spending.place)?.turn ?? nextTurn(line, spending.client)
  line.set(spending.place, { spending, turn, takes })
}

/**
 * The line in the order in which it goes on, with a request in its place, or at the end where it has none: what
 * reduces risk before all else, one of each client before the next of any, so that none can fill the line for
 * the others; the rest as it came.
 */
export function inOrder(line: BudgetLine, spending?: Spending): readonly InLine[] {
  const all = spending === undefined ? [...line.values()] : withIt(line, spending)
  const reducing = all
    .filter((each) => each.spending.reducesRisk)
    .toSorted((one, other) => one.turn - other.turn)
  const rest = all.filter((each) => !each.spending.reducesRisk)
  return [...reducing, ...rest]
}

function withIt(line: BudgetLine, spending: Spending): readonly InLine[] {
  const { place } = spending
  if (place === undefined || !line.has(place)) {
    return [...line.values(), { spending, turn: nextTurn(line, spending.client), takes: [] }]
  }
  return [...line].map(([at, each]) => (at === place ? { ...each, spending } : each))
}

/** The one after its client's last, but none that is over. */
function nextTurn(line: BudgetLine, client: string): number {
  const reducing = [...line.values()].filter(({ spending }) => spending.reducesRisk)
  const own = reducing.filter(({ spending }) => spending.client === client)
  const firstTurn = Math.min(...reducing.map(({ turn }) => turn))
  return Math.max(0, firstTurn === Infinity ? 0 : firstTurn, ...own.map(({ turn }) => turn + 1))
}

/** What is ahead of a request in line, by what it takes first. */
export type Ahead = {
  /** Goes on with one that takes room in these budgets. */
  add(spending: Spending, scopes: readonly BudgetScope[]): void
  /** What it weighs in a request's budget, by client. */
  weights(spending: Spending, scope: BudgetScope): ReadonlyMap<string, number>
  /** How often it takes the reserve that a request may take of a budget. */
  takers(spending: Spending, scope: BudgetScope): number
}

/** What of a budget a request weighs. */
export function weightIn({ ipWeight, addressWeight }: Spending, scope: BudgetScope): number {
  return scope === "ip" ? ipWeight : addressWeight
}

const nothing: ReadonlyMap<string, number> = new Map()

/** What is ahead of those who come when nobody waits. */
export const nobodyAhead: Ahead = {
  add: () => undefined,
  weights: () => nothing,
  takers: () => 0,
}

/** Starts at the line's head. */
export function openAhead(): Ahead {
  const budgets = new Map<string, Map<string, number>>()
  const reserves = new Map<string, number>()
  return {
    add(spending, scopes) {
      for (const scope of scopes) {
        const weights = budgets.get(budgetName(spending, scope)) ?? new Map<string, number>()
        const earlier = weights.get(spending.client) ?? 0
        budgets.set(
          budgetName(spending, scope),
          weights.set(spending.client, earlier + weightIn(spending, scope)),
        )
        const reserve = reserveName(spending, scope)
        if (reserve !== undefined) reserves.set(reserve, (reserves.get(reserve) ?? 0) + 1)
      }
    },
    weights: (spending, scope) => budgets.get(budgetName(spending, scope)) ?? nothing,
    takers(spending, scope) {
      const reserve = reserveName(spending, scope)
      return reserve === undefined ? 0 : (reserves.get(reserve) ?? 0)
    },
  }
}

function budgetName({ address }: Spending, scope: BudgetScope): string {
  return scope === "ip" ? "ip" : `address ${address}`
}

/** Which reserve a request may take where a budget has no room: its address's for cancels, or its client's way past the IP budget. */
export function reserveName(
  { client, address, isCancel, reducesRisk }: Spending,
  scope: BudgetScope,
): string | undefined {
  if (scope === "address") return isCancel ? `address ${address}` : undefined
  return reducesRisk ? `ip ${client}` : undefined
}
