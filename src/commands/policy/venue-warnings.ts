import type { Warning } from "../../link/views/views.ts"
import { isCancel } from "../../venue/payload/parse-payload.ts"
import type { Endpoint, Profile } from "../../venue/profile.ts"

/** What venue.yaml leaves open, so that requests are refused or more is signed. Each names the line to change. */
export function venueWarnings({ endpoints }: Profile): readonly Warning[] {
  return [...endpoints.values()].flatMap((endpoint) => [
    ...uncounted(endpoint),
    ...openCancel(endpoint),
  ])
}

function uncounted({ id, signing }: Endpoint): readonly Warning[] {
  if (signing.known || signing.code !== "items_undisclosed") return []
  const message = `${id} is refused, since its orders can't be counted: no limit, budget or bound could hold them. Change venue.yaml: ${signing.addLine}`
  return [{ message, fix: fixBy(signing.addLine) }]
}

function openCancel({ id, signing, fields }: Endpoint): readonly Warning[] {
  if (!isCancel(id) || fields !== undefined) return []
  if (!signing.known || signing.value.type === "B") return []
  const line = `endpoints: {${id}: {action_tag: ${signing.value.tag}, fields: [order_id]}}`
  const message = `${id} passes freezes and limits, and venue.yaml doesn't list its fields: any body of at most 4 KiB is signed, unless it has a field that only orders have. List them in venue.yaml: ${line}, with the names that the venue documents.`
  return [{ message, fix: fixBy(line) }]
}

function fixBy(line: string): string {
  return `add to venue.yaml: ${line}; then: countersign policy reload`
}
