import { channel } from "node:diagnostics_channel"

/**
 * What is over of a request, in this order. `reserved`: nonce, room and release are taken, and its record
 * is queued; `signed`: while the record is on its way; `durable`: it is on the disk, and the vault knows;
 * `answered`: the answer is about to leave.
 */
export const requestStages: Stages<
  "parsed" | "judged" | "reserved" | "signed" | "durable" | "answered"
> = channel("countersign.request")

/** What is over of a batch, in the ledger's thread; `replicated` only where it is durable elsewhere first. */
export const commitStages: Stages<"written" | "replicated" | "committed"> =
  channel("countersign.commit")

/** Where it is said, within the same turn, that a stage is over, and no more than that. Nobody may be listening. */
type Stages<Stage> = { publish(message: { readonly stage: Stage }): void }
