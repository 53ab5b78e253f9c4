import { readFileSync } from "node:fs"
import { join } from "node:path"

import { packageRoot } from "../../std/program-files.ts"
import type { Reply } from "./reply.ts"

const file = join(packageRoot, "docs/openapi.json")

/** `/openapi.json`: what this server takes and answers, the same for every installation of this version. */
export const contract: Reply = {
  kind: "text",
  type: "application/json",
  text: readFileSync(file, "utf8"),
}
