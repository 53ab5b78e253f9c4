import { reject, type Rejection } from "./error-codes.ts"

/** The nonces that each signer has used. Those at or below `floor` are forgotten, and refused. */
export type NonceMemory = Map<string, UsedNonces>
type UsedNonces = { readonly used: ReadonlySet<number>; readonly floor: number }

const dayMs = 86_400_000
/** The window is invented: from two days ago to a day ahead, both included. */
const windowBeforeMs = 2 * dayMs
const windowAfterMs = dayMs
/** A signer's highest nonces that are always remembered. */
const keptNonces = 10_000

/** Refuses a nonce that its signer has used, or that is too far from now. */
export function checkNonce(
  memory: NonceMemory,
  { signer, nonce, nowMs }: { readonly signer: string; readonly nonce: number; nowMs: number },
): Rejection | undefined {
  const earlier = memory.get(signer)
  if (earlier?.used.has(nonce) === true) {
    return reject("nonce_repeated", "This signer has used this nonce before.").error
  }
  if (nonce < nowMs - windowBeforeMs || nonce > nowMs + windowAfterMs) {
    return reject("nonce_outside_window", "The nonce is over 2 days old or over 1 day ahead.").error
  }
  if (earlier !== undefined && nonce <= earlier.floor) {
    return reject("nonce_outside_window", "The nonce is older than those remembered.").error
  }
  return undefined
}

/** Marks a nonce as used. When too many are remembered, the lower half is forgotten below a new floor. */
export function rememberNonce(memory: NonceMemory, signer: string, nonce: number): void {
  const { used, floor } = memory.get(signer) ?? { used: new Set<number>(), floor: -1 }
  const grown = used as Set<number> // this file alone writes it
  grown.add(nonce)
  if (grown.size < 2 * keptNonces) {
    memory.set(signer, { used: grown, floor })
    return
  }
  const ascending = Array.from(grown).sort((left, right) => left - right)
  const forgotten = ascending.length - keptNonces
  memory.set(signer, {
    used: new Set(ascending.slice(forgotten)),
    floor: ascending[forgotten - 1] ?? floor,
  })
}
