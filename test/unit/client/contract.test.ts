import assert from "node:assert/strict"
import { it } from "node:test"

import { clientContract } from "../../../packaging/openapi/client-contract.ts"
import { readRepositoryFile } from "../../support/markdown.ts"

it("has the types that docs/openapi.json makes; npm run openapi writes them", async () => {
  assert.equal(readRepositoryFile("src/client/contract.ts"), await clientContract())
})
