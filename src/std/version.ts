import { readFileSync } from "node:fs"
import { join } from "node:path"

import * as z from "zod"

import { packageRoot } from "./program-files.ts"

const packageFile = join(packageRoot, "package.json")

/** This program's version, from its package. */
export const version: string = z
  .object({ version: z.string() })
  .parse(JSON.parse(readFileSync(packageFile, "utf8"))).version
