// The interface's "Limits", with the time as a parameter: no clock and no timer in here.

/** What one request asks of the budgets. A weight of 0 asks nothing of that budget. */
export type Spending = {
  /** Who sent it. */
  readonly ip: string
  readonly ipWeight: number
  /** `target_address` or else `signer_address`; `undefined` for reads. */
  readonly address: string | undefined
  readonly addressWeight: number
  /** Whether it is of one of the three endpoints that the reserve is for. */
  readonly isCancel: boolean
  readonly nowMs: number
}

export type Verdict =
  | { readonly ok: true; readonly paidBy: "budget" | "reserve" }
  | { readonly ok: false; readonly scope: "ip" | "address" }

export type RateLimiter = ReturnType<typeof createRateLimiter>

type RateLimits = {
  readonly ipWeight: number
  readonly addressWeight: number
  readonly windowMs: number
  /** The reserve is one cancel an address in this time. */
  readonly reserveEveryMs: number
}

/** The interface's own numbers. */
export const interfaceLimits: RateLimits = {
  ipWeight: 1_200,
  addressWeight: 2_400,
  windowMs: 60_000,
  reserveEveryMs: 1_000,
}

/**
 * Counts weights in rolling windows: what is exactly a window old is forgotten. A refused request weighs
 * nothing in the budget that refuses it; one that the address budget refuses has counted for its IP. The
 * interface tells neither. A cancel that doesn't fit into what is left of the budget takes the reserve.
 */
export function createRateLimiter(limits: RateLimits = interfaceLimits) {
  const ips = new Map<string, Window>()
  const addresses = new Map<string, Window>()
  const reserveTakenMs = new Map<string, number>()
  const { windowMs } = limits

  const takeReserve = (address: string, nowMs: number): boolean => {
    const takenMs = reserveTakenMs.get(address)
    if (takenMs !== undefined && nowMs < takenMs + limits.reserveEveryMs) return false
    reserveTakenMs.set(address, nowMs)
    return true
  }

  return {
    /** Counts a request, or says which budget has no room for it. The IP budget is asked first. */
    take({ ip, ipWeight, address, addressWeight, isCancel, nowMs }: Spending): Verdict {
      const byIp = windowOf(ips, ip)
      if (!count(byIp, { weight: ipWeight, max: limits.ipWeight, windowMs, nowMs })) {
        return { ok: false, scope: "ip" }
      }
      if (address === undefined) return { ok: true, paidBy: "budget" }
      const byAddress = windowOf(addresses, address)
      const asked = { weight: addressWeight, max: limits.addressWeight, windowMs, nowMs }
      if (count(byAddress, asked)) return { ok: true, paidBy: "budget" }
      return isCancel && takeReserve(address, nowMs)
        ? { ok: true, paidBy: "reserve" }
        : { ok: false, scope: "address" }
    },
  }
}

/** Weights in the order in which they came, and their sum. */
type Window = {
  readonly counted: { readonly atMs: number; readonly weight: number }[]
  sum: number
}

function windowOf(windows: Map<string, Window>, name: string): Window {
  const known = windows.get(name)
  if (known !== undefined) return known
  const made: Window = { counted: [], sum: 0 }
  windows.set(name, made)
  return made
}

type Count = {
  readonly weight: number
  readonly max: number
  readonly windowMs: number
  readonly nowMs: number
}

/** Counts a weight if there is room for it. */
function count(window: Window, { weight, max, windowMs, nowMs }: Count): boolean {
  for (let first = window.counted[0]; first !== undefined; first = window.counted[0]) {
    if (first.atMs > nowMs - windowMs) break
    window.counted.shift()
    window.sum -= first.weight
  }
  if (window.sum + weight > max) return false
  if (weight === 0) return true
  window.counted.push({ atMs: nowMs, weight })
  window.sum += weight
  return true
}
