// `npm run openapi`: writes docs/openapi.json from the schemas that the code has.

import { writeFileSync } from "node:fs"

import { format } from "prettier"

import { repositoryRoot } from "../../test/support/markdown.ts"
import { openApiDocument } from "./document.ts"

const text = await format(JSON.stringify(openApiDocument()), { parser: "json", printWidth: 100 })
writeFileSync(`${repositoryRoot}/docs/openapi.json`, text)
