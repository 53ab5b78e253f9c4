// A part of `npm run openapi`: writes src/client/contract.ts from docs/openapi.json.

import { writeFileSync } from "node:fs"

import { repositoryRoot } from "../../test/support/markdown.ts"
import { clientContract } from "./client-contract.ts"

writeFileSync(`${repositoryRoot}/src/client/contract.ts`, await clientContract())
