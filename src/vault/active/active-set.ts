import type { oneAtATime } from "../../std/one-at-a-time.ts"
import type { Decimal } from "../../venue/decimal.ts"
import { standsFor } from "../../venue/paper-key.ts"
import type { ReferencePrice } from "../../venue/profile.ts"
import type { Installation } from "../config/installation.ts"
import type { FileSet } from "../config/load-files.ts"
import type { Bindings, Standing } from "../ledger/bindings.ts"
import { hasEnded, operatorName, type Client, type KeyEntry } from "../ledger/records/bindings.ts"
import { isSameScope } from "../ledger/records/freeze.ts"
import { priceFields } from "../ledger/records/prices.ts"
import type { RecordId } from "../ledger/records/record-id.ts"
import type { Act } from "../ledger/records/row.ts"
import type { RowCounts } from "../ledger/row-counts.ts"
import type { LedgerTime } from "../process/clock.ts"
import type { Difference } from "./files-on-disk.ts"

/**
 * Everything that a decision depends on, as one immutable value. A request is judged by one set from start to
 * end, and `policyHash` in its record says which files.
 */
export type ActiveSet = FileSet & {
  readonly keys: ReadonlyMap<string, KeyEntry>
  /** Those of them that may still sign. */
  readonly usableKeys: ReadonlyMap<string, KeyEntry>
  readonly clients: readonly Client[]
  readonly clientByTokenHash: ReadonlyMap<string, Client>
} & Standing

const nothingSaid: Standing = {
  prices: new Map(),
  raises: [],
  acceptedHash: undefined,
  freezes: [],
  armed: [],
  marks: new Map(),
  guards: [],
}

/** Makes a set of files and bindings. Without a standing, no price was fed and no limit is raised. */
export function makeActiveSet(
  files: FileSet & Partial<Standing>,
  keys: readonly KeyEntry[],
  clients: readonly Client[],
): ActiveSet {
  return Object.freeze({
    ...nothingSaid,
    ...files,
    keys: byName(keys),
    usableKeys: byName(keys.filter((key) => !hasEnded(key))),
    clients,
    clientByTokenHash: new Map(
      clients.flatMap((client) =>
        client.token_hash === null ? [] : [[client.token_hash, client]],
      ),
    ),
  })
}

/**
 * The set that a key is judged by: paper's, where it is a paper key of paper's network. Nothing else chooses, no flag and no
 * header. A wrong choice is refused (`wrong_network`), and what a paper key signs is of an address that no venue knows.
 */
export function viewOf(key: string, set: ActiveSet): ActiveSet {
  const { paper } = set
  const network = standsFor(key) === undefined ? undefined : set.keys.get(key)?.network
  return paper !== undefined && network === paper.profile.network ? { ...set, ...paper } : set
}

/** Whether a key is paper's, also while no venue-paper.yaml is in force. */
export function isPaperKey(key: string, { keys, profile }: ActiveSet): boolean {
  return standsFor(key) !== undefined && keys.get(key)?.network !== profile.network
}

function byName(keys: readonly KeyEntry[]): ReadonlyMap<string, KeyEntry> {
  return new Map(keys.map((key) => [key.name, key]))
}

/** The set of files and current bindings. Under the same files it takes over from `last` what hasn't changed. */
export function boundSet(files: FileSet, bindings: Bindings, last?: ActiveSet): ActiveSet {
  const { keys, clients, prices, raises, acceptedHash, freezes, armed, marks, guards } = bindings
  const standing: Standing = { prices, raises, acceptedHash, freezes, armed, marks, guards }
  if (last?.policyHash === files.policyHash && last.keys === keys && last.clients === clients) {
    return Object.freeze({ ...last, ...standing })
  }
  const set = makeActiveSet({ ...files, ...standing }, [...keys.values()], clients)
  return Object.freeze({ ...set, keys }) // by which the next one sees that it is the same
}

/** The address of an agent's wallet, held here or elsewhere; `undefined` if it isn't known. */
export function walletAddressOf({ wallet }: KeyEntry, { keys }: ActiveSet): string | undefined {
  return wallet === null ? undefined : (keys.get(wallet)?.address ?? wallet)
}

/** The account that a key trades where no target is named: its wallet's; `undefined` where that isn't known. */
export function ownAccountOf(key: KeyEntry, set: ActiveSet): string | undefined {
  return key.role === "wallet" ? key.address : walletAddressOf(key, set)
}

/** How long a price from an operator is fresh: the default of prices in venue.yaml. */
const operatorMaxAgeMs = 3_600_000

/** A price, and from when to when it is fresh. */
export type DatedPrice = ReferencePrice & { readonly by: string }

/** The reference price of a symbol at `nowMs`: the latest one that is fresh. */
export function referencePrice(
  symbolId: number,
  set: FileSet & Standing,
  nowMs: LedgerTime,
): Decimal | undefined {
  if (set.prices.get(symbolId)?.confirmed === false) return undefined
  return datedPrices(symbolId, set).find((price) => isFresh(price, nowMs))?.value
}

/** Every price of a symbol, from the profile and from a feed, however old; the latest first. */
export function datedPrices(
  symbolId: number,
  { profile, config, prices }: FileSet & Standing,
): readonly DatedPrice[] {
  const written = profile.symbols.byId.get(symbolId)?.referencePrice
  const fed = prices.get(symbolId)
  const maxAgeMs = fed?.by === operatorName ? operatorMaxAgeMs : config.prices.maxAgeMs
  return [
    ...(written === undefined ? [] : [{ ...written, by: "profile" }]),
    ...(fed === undefined ? [] : [{ ...fed, maxAgeMs }]),
  ].toSorted((a, b) => b.asOfMs - a.asOfMs)
}

/** A price from the future counts as just as old. If not, a wrong clock or a wrong year would keep it fresh for ever. */
export function isFresh({ asOfMs, maxAgeMs }: ReferencePrice, nowMs: LedgerTime): boolean {
  return Math.abs(nowMs - asOfMs) <= maxAgeMs
}

/** The later price that is held back, if any. A request must pass with both prices. */
export function heldPrice(symbolId: number, { prices }: Standing): Decimal | undefined {
  return prices.get(symbolId)?.drift?.held?.value
}

/** The set in force, read only. */
export type SetInForce = {
  /** The set in force now. Take it once for each request. */
  readonly active: () => ActiveSet
  /** The ledger's time, by which everything is decided and expires. Only the ledger reads the wall clock. */
  readonly now: () => LedgerTime
}

/** What a client may say as often as it likes, without a signature. */
export type Said = Extract<Act, { readonly act: "price_set" | "frozen" }>

/** Changes the bindings, prices and raises of the set in force. */
export type Acts = SetInForce & {
  /** Records an act. The set that results is in force as soon as the act is queued. */
  act(entry: Act): Promise<RecordId>
  /** Applies an act without recording it, because it says nothing new. A restart begins with the last one recorded. */
  hear(entry: Act): void
  /** Puts in force what a client may say without a signature, and bounds how often that is written. */
  say(entry: Said, client: string): Promise<void>
}

/** Changes the files of the set in force. */
export type FilesInForce = SetInForce & {
  /** Where files are read from. */
  readonly installation: Installation
  /** How the files on disk are others than those in force, as of the last look; `undefined` when they aren't. */
  readonly differ: () => Difference | undefined
  /** Compares them now. */
  readonly lookAtDisk: () => Promise<void>
  /** A queue, so that files that were read earlier never replace files that were read later. */
  readonly inTurn: ReturnType<typeof oneAtATime>
  /**
   * Puts files in force. First it counts from the ledger what their limits have used, then it exchanges set and
   * meters in one step. When it resolves, this is durable and nothing is signed under the old set any more.
   * A set that was rolled back to stays in force over starts.
   */
  adopt(files: FileSet, isRolledBack?: boolean): Promise<void>
}

/** The set in force, and how to exchange it. Starts with `files`. Bindings always come from the ledger. */
export function putInForce(files: FileSet, ledger: { bindings(): Bindings }) {
  let bound = ledger.bindings()
  let set = boundSet(files, bound)
  return {
    active: (): ActiveSet => {
      const bindings = ledger.bindings()
      if (bindings === bound) return set
      bound = bindings
      set = boundSet(set, bindings, set)
      return set
    },
    /** Puts other files in force, at once. */
    exchange(next: FileSet): void {
      bound = ledger.bindings()
      set = boundSet(next, bound)
    },
  }
}

/** How often what is said of one thing is written: a price of a symbol, a freeze of one scope. */
const everyMs = 1_000

/** From a row about something on, until the next one may be written. */
type Window = {
  readonly done: Promise<unknown>
  readonly untilMs: number
  newest: Said | undefined
  client: string
}

/**
 * Makes `say`: what a client says is in force at once. It is written at once too where it changes what is stopped, or where
 * nothing of this was written for a second and the client has rows left; else what is in force of it is once a second has
 * passed. Resolves when what was written of it last is durable. `settle` writes what is only heard yet, so that a stop loses
 * nothing of it.
 */
export function sayer(acts: Pick<Acts, "active" | "act" | "hear" | "now">, rows: RowCounts) {
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
