import type { Refusal, RefusalCode } from "../link/refusal.ts"
import { Fault, type FaultCode } from "../std/fault.ts"

/** A refusal of what an operator asked for, as the command line tells failures. */
export function faultOf({ code, message }: Refusal): Fault {
  return new Fault(faultCodes[code] ?? "usage", message)
}

const faultCodes: Partial<Record<RefusalCode, FaultCode>> = {
  action_tag_undisclosed: "undisclosed",
  struct_undisclosed: "undisclosed",
  signing_type_undisclosed: "undisclosed",
  target_layout_undisclosed: "undisclosed",
  signer_pace: "vault_unavailable",
}
