import assert from "node:assert/strict"
import { after, before } from "node:test"

import {
  postgresPlace,
  startPrimary,
  type PostgresPlace,
  type PostgresServer,
} from "./postgres-server.ts"

/** A server of a test, and what the relay shows it. */
export type Primary = { readonly place: PostgresPlace; readonly server: PostgresServer }

/** A primary that is there while the suite runs in which this is called. */
export function primaryOfSuite(): () => Primary {
  let primary: Primary | undefined
  before(async () => {
    const place = postgresPlace()
    primary = { place, server: await startPrimary(place) }
  })
  after(async () => {
    await primary?.server.stop()
    primary?.place.remove()
  })
  return () => primary ?? assert.fail("the suite hasn't begun")
}
