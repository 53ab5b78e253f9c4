// `npm run client-types`: writes dist/client/contract.d.ts from docs/openapi.json.

import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"

import { repositoryRoot } from "../../test/support/markdown.ts"
import { clientContract } from "./client-contract.ts"

const directory = join(repositoryRoot, "dist/client")
mkdirSync(directory, { recursive: true })
writeFileSync(join(directory, "contract.d.ts"), await clientContract())
