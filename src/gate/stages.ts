import { openStages } from "../std/stages.ts"

/** Says on the channel `countersign.send` that what could be sent of a request was sent; its report follows. */
export const sendStage: (stage: "sent") => void = openStages("countersign.send")
