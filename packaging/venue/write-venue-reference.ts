// Part of `npm run schema`: writes docs/venue.schema.json from the schema that venue.yaml is read by, and the tables
// of its keys in docs/venue.md from that and from what venue-keys.ts says of them.

import { readFileSync, writeFileSync } from "node:fs"

import { format } from "prettier"

import { venueJsonSchema } from "./venue-json-schema.ts"
import { withVenueTables } from "./venue-key-tables.ts"

const layout = { printWidth: 100 }

const schemaFile = new URL("../../docs/venue.schema.json", import.meta.url)
const schema = JSON.stringify(venueJsonSchema())
writeFileSync(schemaFile, await format(schema, { ...layout, parser: "json" }))

const pageFile = new URL("../../docs/venue.md", import.meta.url)
const page = withVenueTables(readFileSync(pageFile, "utf8"))
writeFileSync(pageFile, await format(page, { ...layout, parser: "markdown" }))
