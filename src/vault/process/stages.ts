import { openStages } from "../../std/stages.ts"

/**
 * What is over of a request, in this order. `reserved`: nonce, room and release are taken, and its record
 * is queued; `signed`: while the record is on its way; `durable`: it is on the disk, and the vault knows;
 * `answered`: the answer is about to leave.
 */
export type RequestStage = "parsed" | "judged" | "reserved" | "signed" | "durable" | "answered"

/** What is over of a batch, in the ledger's thread. */
export type CommitStage = "written" | "committed"

/** Says on the channel `countersign.request` that a stage of a request is over. */
export const requestStage: (stage: RequestStage) => void = openStages("countersign.request")

/** Says on the channel `countersign.commit` that a stage of a batch is over. */
export const commitStage: (stage: CommitStage) => void = openStages("countersign.commit")
