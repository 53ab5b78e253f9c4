import assert from "node:assert/strict"

import { problemText } from "../../../src/std/yaml-file.ts"
import type { Endpoint, OperationId, Profile } from "../../../src/venue/profile.ts"
import { parseProfile } from "../../../src/venue/profile/profile-file.ts"

/** The profile of a venue.yaml that says `extends: builtin` and then `lines`. */
export function profileOf(...lines: readonly string[]): Profile {
  const read = parseProfile(textOf(lines), "venue.yaml")
  assert.ok(read.ok, read.ok ? "" : read.error.map(problemText).join("\n"))
  return read.value
}

/** The problems of such a venue.yaml, as people see them; the first of `lines` is line 2. */
export function problemsOf(...lines: readonly string[]): readonly string[] {
  const read = parseProfile(textOf(lines), "venue.yaml")
  return read.ok ? [] : read.error.map(problemText)
}

/** An operation of a profile. */
export function endpointOf(profile: Profile, id: OperationId): Endpoint {
  const endpoint = profile.endpoints.get(id)
  assert.ok(endpoint)
  return endpoint
}

function textOf(lines: readonly string[]): string {
  return ["extends: builtin", ...lines, ""].join("\n")
}
