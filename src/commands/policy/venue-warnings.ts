import type { Warning } from "../../link/views/views.ts"
import type { Profile } from "../../venue/profile.ts"

/** What venue.yaml leaves open, so that requests are refused. Each names the line to add. */
export function venueWarnings({ endpoints }: Profile): readonly Warning[] {
  return [...endpoints.values()].flatMap(({ id, signing }) =>
    signing.known || signing.code !== "items_undisclosed"
      ? []
      : [
          {
            message: `${id} is refused, since its orders can't be counted: no limit, budget or bound could hold them. Change venue.yaml: ${signing.addLine}`,
            fix: `add to venue.yaml: ${signing.addLine}; then: countersign policy reload`,
          },
        ],
  )
}
