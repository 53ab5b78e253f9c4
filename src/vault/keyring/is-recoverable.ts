import { fromHex } from "../../std/bytes.ts"
import type { CurveSignature } from "./curve.ts"

/** Half of the curve's order, rounded down: the largest low s (EIP-2). */
const largestLowS =
  fromHex("7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0") ?? new Uint8Array(32)

/** Whether a signature has the form of those that are made here: 64 bytes, a recovery id, a low s. */
export function isRecoverable({ compact, recovery }: CurveSignature): boolean {
  return compact.length === 64 && [0, 1, 2, 3].includes(recovery) && isLowS(compact)
}

function isLowS(compact: Uint8Array): boolean {
  return Buffer.compare(compact.subarray(32), largestLowS) <= 0
}
