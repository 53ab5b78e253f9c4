import type { Guard, Look } from "../asks.ts"

/** How much of what may be lost was, of 1; more where it was more. */
export type LossPoint = { readonly atMs: number; readonly share: number }

/** By guard and account, the oldest first. The page alone keeps them: the vault has no such history. */
export type LossLines = ReadonlyMap<string, readonly LossPoint[]>

/** How far back they reach. */
export const lineMs = 86_400_000
const everyMs = 60_000

/** A guard and its account, for people. */
export function guardName({ policy, guard, account_name: account }: Guard): string {
  return `${policy}/${guard}, ${account}`
}

export function isOfLoss({ kind }: Guard): boolean {
  return !kind.startsWith("max_")
}

/** Adds to each line what is lost by now, once a minute; lines that there is no guard for any more end. */
export function withLosses(lines: LossLines, { at: atMs, guards }: Look): LossLines {
  return new Map(
    guards.filter(isOfLoss).map((guard) => {
      const name = guardName(guard)
      return [name, withPoint(lines.get(name) ?? [], { atMs, share: shareOf(guard) })]
    }),
  )
}

function withPoint(
  points: readonly LossPoint[],
  { atMs, share }: { readonly atMs: number; readonly share: number | undefined },
): readonly LossPoint[] {
  const [first, last] = [points[0], points.at(-1)]
  if (last !== undefined && atMs < last.atMs) return withPoint([], { atMs, share }) // the vault's clock was set back
  if (share === undefined || (last !== undefined && atMs < last.atMs + everyMs)) return points
  const isOld = first !== undefined && first.atMs < atMs - lineMs
  return [...(isOld ? points.slice(1) : points), { atMs, share }]
}

/** `undefined` while what is lost, or may be, can't be told. */
function shareOf({ measured, max }: Guard): number | undefined {
  const share = measured === null || max === null ? NaN : Number(measured) / Number(max)
  return Number.isFinite(share) ? share : undefined
}
