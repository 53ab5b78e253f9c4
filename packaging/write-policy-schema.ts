// `npm run schema`: writes docs/policy.schema.json from the schema that policies are read by, and the table of
// matchers in docs/policy-reference.md from the matchers.

import { readFileSync, writeFileSync } from "node:fs"

import { format } from "prettier"

import { policyJsonSchema } from "./policy-json-schema.ts"
import { withMatcherTable } from "./policy-matcher-table.ts"

const layout = { printWidth: 100 }

const schemaFile = new URL("../docs/policy.schema.json", import.meta.url)
const schema = JSON.stringify(policyJsonSchema())
writeFileSync(schemaFile, await format(schema, { ...layout, parser: "json" }))

const pageFile = new URL("../docs/policy-reference.md", import.meta.url)
const page = withMatcherTable(readFileSync(pageFile, "utf8"))
writeFileSync(pageFile, await format(page, { ...layout, parser: "markdown" }))
