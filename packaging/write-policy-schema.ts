// `npm run schema`: writes docs/policy.schema.json from the schema that policies are read by.

import { writeFileSync } from "node:fs"

import { format } from "prettier"

import { policyJsonSchema } from "./policy-json-schema.ts"

const text = await format(JSON.stringify(policyJsonSchema()), { parser: "json", printWidth: 100 })
writeFileSync(new URL("../docs/policy.schema.json", import.meta.url), text)
