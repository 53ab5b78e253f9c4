import { createHash } from "node:crypto"

import type { CheckReport } from "../../../link/views/views.ts"
import { parseAddress } from "../../../venue/address.ts"
import { makeActiveSet, type ActiveSet } from "../../../vault/active/active-set.ts"
import { openBudgets } from "../../../vault/budgets/budgets.ts"
import type { FileSet } from "../../../vault/config/file-set.ts"
import { openMeters } from "../../../vault/ledger/meters/meters.ts"
import type { Price } from "../../../vault/ledger/records/prices.ts"
import { operatorName, type Client, type KeyEntry } from "../../../vault/ledger/records/bindings.ts"
import type { Claim } from "../../../vault/policy/terms/claim.ts"
import { parseSymbol } from "../../../vault/policy/values/scalars.ts"
import { recordedTime, type LedgerTime } from "../../../vault/process/clock.ts"
import type { ExplainContext } from "../../../vault/request/asking.ts"
import { explainRequest } from "../../../vault/request/check-request.ts"
import { openDiskSpace } from "../../../vault/watch/disk-space.ts"
import { openVenueClock } from "../../../vault/watch/venue-clock.ts"
import type { Used, WrittenCase, WrittenKey } from "./case-schema.ts"

/**
 * What the vault makes of a case: the answer of `policy explain` and of POST /check, by the same code, for an
 * installation with these files, the case's client, keys, prices and time, and nothing used but what the case says.
 */
export function judgeCase(
  written: WrittenCase,
  keys: ReadonlyMap<string, WrittenKey>,
  files: FileSet,
): CheckReport {
  const { endpoint, body, key, expiresInMs, idempotencyKey, atMs } = written
  const nowMs = recordedTime(atMs)
  const client = clientOf(written, keys)
  const entries = [...keys].map((named) => keyOf(named, files))
  const set = makeActiveSet({ ...files, prices: pricesOf(written, files) }, entries, [client])
  const call = {
    path: endpoint.path,
    body: Buffer.from(body).toString("base64"),
    key,
    ...(expiresInMs === undefined ? {} : { expiresIn: String(expiresInMs) }),
    ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
  }
  return explainRequest(call, client, vaultAt(nowMs, set, written.used))
}

/** It may use every key, its own first: what it is bound to is no policy's word. */
function clientOf({ client, key }: WrittenCase, keys: ReadonlyMap<string, WrittenKey>): Client {
  return {
    name: client,
    token_hash: null,
    keys: [key, ...[...keys.keys()].filter((name) => name !== key)],
    rights: [],
    allow_type_b: true,
  }
}

function keyOf([name, written]: readonly [string, WrittenKey], { profile }: FileSet): KeyEntry {
  const { role, wallet = null, targets } = written
  const address = written.address ?? addressFor(name)
  const approved = { approval: "approved", expires_at: null } as const
  return { name, address, role, wallet, targets, network: profile.network, ...approved }
}

/** One of its own for each name, the same at every run. */
function addressFor(name: string): KeyEntry["address"] {
  const digits = createHash("sha256").update(name).digest("hex").slice(0, 40)
  const address = parseAddress(`0x${digits}`)
  if (address === undefined) throw new Error("unreachable: it is 40 lower-case digits")
  return address
}

function pricesOf({ prices, atMs }: WrittenCase, { profile }: FileSet): Map<number, Price> {
  const standing = { asOfMs: atMs, by: operatorName, confirmed: true }
  return new Map(
    [...prices].flatMap(([symbol, value]) => {
      const symbolId = parseSymbol(symbol, profile.symbols)
      return symbolId === undefined ? [] : [[symbolId, { symbolId, value, ...standing }] as const]
    }),
  )
}

/** A vault at a moment when nothing but policy stops anything. */
function vaultAt(
  nowMs: LedgerTime,
  set: ActiveSet,
  used: ReadonlyMap<string, Used>,
): ExplainContext {
  const clock = { monotonicMs: () => 0 }
  return {
    now: () => nowMs,
    active: () => set,
    disk: openDiskSpace(() => Promise.resolve(Infinity), 0),
    venueClock: openVenueClock(clock),
    keyring: { isLocked: () => false },
    ledger: {
      findRelease: () => undefined,
      headroom: (claims) => metersAfter(used, claims, { set, nowMs }).headroom(claims, nowMs),
      budgets: openBudgets(clock),
      marks: { waiting: () => [] },
      clock: { doubt: () => undefined },
    },
  }
}

type At = { readonly set: ActiveSet; readonly nowMs: number }

/** The meters that these claims are asked of, once what the case says was taken. */
function metersAfter(used: ReadonlyMap<string, Used>, claims: readonly Claim[], at: At) {
  const meters = openMeters()
  const each = new Map(claims.map((claim) => [claim.meter, claim])).values()
  const taken = [...each]
    .flatMap((claim) => {
      const use = used.get(`${claim.policy}/${claim.limit}`)
      return use === undefined ? [] : [{ claim, use, takenAtMs: at.nowMs - use.agoMs }]
    })
    .sort((a, b) => a.takenAtMs - b.takenAtMs) // meters take amounts in the order of time
  for (const { claim, use, takenAtMs } of taken) {
    const window = windowAt(claim, takenAtMs, at)
    if (window !== undefined) meters.count([{ ...claim, window, amount: use.amount }], takenAtMs)
  }
  return meters
}

/** The window that an amount counted in that was taken earlier. */
function windowAt(claim: Claim, takenAtMs: number, { set }: At): Claim["window"] | undefined {
  const policy = set.policies.find(({ name }) => name === claim.policy)
  const limit = policy?.limits.find(({ name }) => name === claim.limit)
  return limit?.window.kind === "day" ? limit.window.dayAt(takenAtMs) : claim.window
}
