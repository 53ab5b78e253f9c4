// `npm run schema`: writes docs/policy.schema.json from the schema that policies are read by.

import { writeFileSync } from "node:fs"

import { format } from "prettier"

import { policyJsonSchema } from "../../../src/vault/policy/policy-json-schema.ts"
import { repositoryRoot } from "../../support/markdown.ts"

const text = await format(JSON.stringify(policyJsonSchema()), { parser: "json", printWidth: 100 })
writeFileSync(`${repositoryRoot}/docs/policy.schema.json`, text)
