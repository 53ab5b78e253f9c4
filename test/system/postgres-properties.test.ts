// What holds of any ledger, on a real PostgreSQL as one host has it; with a share of the random cases.

import { after, before, describe } from "node:test"

import { holdLedgerProperties } from "../properties/ledger/all.ts"
import { onPostgres } from "../support/postgres-ledger.ts"
import {
  needsPostgres,
  postgresPlace,
  startPrimary,
  type PostgresPlace,
  type PostgresServer,
} from "../support/postgres-server.ts"

describe("the ledger's properties on PostgreSQL", needsPostgres, () => {
  let place: PostgresPlace
  let server: PostgresServer

  before(async () => {
    place = postgresPlace()
    server = await startPrimary(place)
  })
  after(async () => {
    await server.stop()
    place.remove()
  })

  holdLedgerProperties(onPostgres(() => ({ place, server })))
})
