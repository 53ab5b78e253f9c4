import { readFileSync } from "node:fs"

import type { Reply } from "./reply.ts"

const file = new URL("../../docs/openapi.json", import.meta.url)

/** `/openapi.json`: what this server takes and answers, the same for every installation of this version. */
export const contract: Reply = {
  kind: "text",
  type: "application/json",
  text: readFileSync(file, "utf8"),
}
