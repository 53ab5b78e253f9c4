import type { Asked } from "../asked.ts"
import type { SimPolicy } from "../site.ts"
import type { Recorded } from "./journal.ts"

/** A signature that is about to leave. */
export type Leaving = {
  readonly asked: Asked
  readonly recorded: Recorded
  readonly isRepeat: boolean
}

/** What an act forbids once it is answered. */
export type Promised = {
  /** What lifts it names it. */
  readonly name: string
  readonly forbids: (leaving: Leaving) => boolean
}

/** `row` says so in the journal, and a restored back-up may lack it; without one it is good until the daemon ends. */
type Kept = Promised & { readonly row: string | undefined }

/** What operators were promised: once an act is answered, nothing leaves that it forbids. */
export class Promises {
  #expected = new Set<Promised>()
  #kept: readonly Kept[] = []

  /** An act is asked for. What comes back is to be called when it is answered. */
  expect(promised: Promised): (row?: string) => void {
    this.#expected.add(promised)
    return (row) => {
      // Who asks for an act and for its end before it is answered is promised nothing.
      if (this.#expected.delete(promised)) this.#kept = [...this.#kept, { ...promised, row }]
    }
  }

  /** The end of those is asked for: from now on they need not hold. */
  lift(name: string): void {
    for (const each of this.#expected) if (each.name === name) this.#expected.delete(each)
    this.#kept = this.#kept.filter((each) => each.name !== name)
  }

  /** The daemon ends: what is in no row is forgotten. */
  ended(): void {
    this.#expected.clear()
    this.keepOnly(() => true)
  }

  /** Those whose rows an older copy has. */
  keepOnly(isThere: (row: string) => boolean): void {
    this.#kept = this.#kept.filter(({ row }) => row !== undefined && isThere(row))
  }

  /** @throws {Error} when this may not leave. */
  check(leaving: Leaving): void {
    const broken = this.#kept.find(({ forbids }) => forbids(leaving))
    if (broken !== undefined)
      throw new Error(`a signature left after this was answered: ${broken.name}`)
  }
}

/** What a freeze stops. */
export function isStopped(
  { asked }: Leaving,
  {
    scope,
    name,
    cancels,
  }: { readonly scope: string; readonly name: string | null; readonly cancels: boolean },
): boolean {
  const isMeant = scope === "all" || (scope === "client" ? asked.bot.name : asked.key) === name
  return isMeant && (asked.lane === "open" || !cancels)
}

/**
 * What files forbid that were put in force by the row at `place`: what was judged by those before it, and of repeats
 * what they deny by now, or hold and nobody released.
 */
export function isOutOfForce(
  { recorded, isRepeat }: Leaving,
  policy: SimPolicy,
  place: number,
): boolean {
  const { row, quantity } = recorded
  const isDenied = policy.denied === row.client && row.operation === "placeOrder"
  const isHeld = row.release === undefined && quantity > policy.heldOver
  const isOfEarlier = !isRepeat && row.idempotency === undefined && recorded.place < place
  return isDenied || isHeld || isOfEarlier
}
