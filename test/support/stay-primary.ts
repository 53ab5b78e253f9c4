// Starts a PostgreSQL server of a container's own, writes where it is and what clients show it into the file of its first
// argument, and stays.

import { renameSync, writeFileSync } from "node:fs"

import { hostRole, postgresPlace, startPrimary } from "./postgres-server.ts"

const [file = ""] = process.argv.slice(2)
const { certificates, ...place } = postgresPlace()
const { data, port } = await startPrimary({ certificates, ...place })
const { certificate, key } = certificates.clients[hostRole]
const said = { data, port, ca: certificates.ca, certificate, key }
const lines = Object.entries(said).map(([name, value]) => `db_${name}=${value}\n`)
writeFileSync(`${file}.new`, lines.join(""))
renameSync(`${file}.new`, file)
