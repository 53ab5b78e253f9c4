import { Fault } from "../../std/fault.ts"
import type { Admin } from "../installation/admin.ts"
import { sendSigned, type AcceptedOperation } from "./send-signed.ts"

/** Has an agent's wallet key, which is held here, sign its approval, and sends it. @throws {Fault} */
export async function approveHere(
  admin: Admin,
  ask: { readonly agent: string; readonly validDays: number; readonly label: string },
): Promise<AcceptedOperation> {
  const answer = await admin.call("approveAgent", ask)
  if (answer.kind === "signed") return sendSigned(answer, admin, `the approval of ${ask.agent}`)
  throw new Fault("internal", "The vault described an approval that it was to sign.")
}
