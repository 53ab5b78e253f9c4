// A part of `npm run openapi`: writes the Python client's contract.py from docs/openapi.json.

import { writeFileSync } from "node:fs"

import { repositoryRoot } from "../../test/support/markdown.ts"
import { pythonContract } from "./python-contract.ts"

const path = "clients/python/countersign_client/contract.py"
writeFileSync(`${repositoryRoot}/${path}`, pythonContract())
