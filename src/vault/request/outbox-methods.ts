import type { BotParams, BotResults } from "../../link/calls/methods.ts"
import { asRequest } from "../ledger/found-records.ts"
import type { Outbox } from "../ledger/outbox.ts"
import { panicName } from "../ledger/records/bindings.ts"
import { refuse } from "./refuse.ts"
import { type SettleContext, settleRecord } from "./settle-record.ts"

type OutboxContext = SettleContext & { readonly outbox: Outbox }

/**
 * The gate's way to send what was signed when a missed heartbeat panicked. No token: these calls give out
 * cancels that are meant for the venue, and take the gate's word on those alone.
 */
export function outboxMethods(vault: OutboxContext) {
  return {
    outbox: async (): Promise<BotResults["outbox"]> => ({ requests: await vault.outbox.take() }),
    outboxReport: (params: BotParams["outboxReport"]) => outboxReport(params, vault),
  }
}

async function outboxReport(
  { record: id, outcome }: BotParams["outboxReport"],
  vault: OutboxContext,
): Promise<BotResults["outboxReport"]> {
  const record = await vault.ledger.record(id)
  if (record?.row.client !== panicName) {
    const message = "This record is of no request that the gate was given to send."
    return refuse({ code: "unknown_record", message, data: null }, null)
  }
  vault.outbox.heard(id, outcome)
  await settleRecord(asRequest(record), outcome, vault)
  return { kind: "answer" }
}
