import { isSameScope } from "../ledger/records/freeze.ts"
import { priceFields } from "../ledger/records/prices.ts"
import type { RowCounts } from "../ledger/row-counts.ts"
import type { Acts, Said } from "./active-set.ts"

/** How often what is said of one thing is written: a price of a symbol, a freeze of one scope. */
const everyMs = 1_000

/** From a row about something on, until the next one may be written. */
type Window = {
  readonly done: Promise<unknown>
  readonly untilMs: number
  newest: Said | undefined
  client: string
}

/** `settle` writes what is only heard yet, so that a stop loses nothing of it. */
type Sayer = { readonly say: Acts["say"]; readonly settle: () => Promise<void> }

/**
 * Makes `say`: what a client says is in force at once. It is written at once too where it changes what is stopped, or where
 * nothing of this was written for a second and the client has rows left; else what is in force of it is once a second has
 * passed. Resolves when what was written of it last is durable.
 */
export function sayer(acts: Pick<Acts, "active" | "act" | "hear" | "now">, rows: RowCounts): Sayer {
  const windows = new Map<string, Window>()

  function open(name: string, of: Omit<Window, "untilMs">): Promise<unknown> {
    const window = { ...of, untilMs: acts.now() + everyMs }
    windows.set(name, window)
    const end = (): void => {
      if (windows.get(name) !== window) return
      windows.delete(name)
      const inForce = window.newest && inForceOf(window.newest, acts)
      // Where another host was first, its word stands; where this can't be written, nothing else can.
      if (inForce !== undefined) say(inForce, window.client).catch(() => undefined)
    }
    setTimeout(end, everyMs).unref()
    return window.done
  }

  async function say(entry: Said, client: string): Promise<void> {
    const name = nameOf(entry)
    const nowMs = acts.now()
    const last = windows.get(name)
    const window = last !== undefined && nowMs < last.untilMs ? last : undefined
    const row = { client, kind: entry.act, bytes: bytesOf(entry) }
    const isDue = window === undefined && rows.take(row, nowMs)
    if (isDue || changesStops(entry, acts)) {
      await open(name, { done: acts.act(entry), newest: undefined, client })
      return
    }
    acts.hear(entry)
    if (window === undefined) void open(name, { done: Promise.resolve(), newest: entry, client })
    else Object.assign(window, { newest: entry, client })
    await window?.done
  }
  async function settle(): Promise<void> {
    const heard = [...windows.values()].flatMap(({ newest }) => newest ?? [])
    windows.clear()
    await Promise.all(heard.flatMap((each) => inForceOf(each, acts) ?? []).map(acts.act))
  }
  return { say, settle }
}

function nameOf(entry: Said): string {
  if (entry.act === "price_set") return `price of ${entry.symbol_id}`
  return `${entry.scope} ${entry.name ?? ""}`
}

/** About what its row has. */
function bytesOf(entry: Said): number {
  return Buffer.byteLength(JSON.stringify(entry))
}

/** Whether it stops what went on, or the other way round: this is never only heard. */
function changesStops(entry: Said, { active }: Pick<Acts, "active">): boolean {
  const { prices, freezes } = active()
  if (entry.act === "price_set") return prices.get(entry.symbol_id)?.confirmed !== entry.confirmed
  const earlier = freezes.find((each) => isSameScope(each, entry))
  return earlier === undefined || (earlier.cancels && !entry.cancels)
}

/** What holds now of what it is about; nothing where a freeze was ended. */
function inForceOf(entry: Said, { active }: Pick<Acts, "active">): Said | undefined {
  const { prices, freezes } = active()
  if (entry.act === "price_set") {
    const price = prices.get(entry.symbol_id)
    return price && { act: "price_set", ...priceFields(price) }
  }
  const freeze = freezes.find((each) => isSameScope(each, entry))
  return freeze && { act: "frozen", ...freeze }
}
