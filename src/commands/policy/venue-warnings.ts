import type { Profile } from "../../venue/profile.ts"

/** What venue.yaml leaves open, so that requests are refused. Each names the line to add. */
export function venueWarnings({ endpoints }: Profile): readonly string[] {
  return [...endpoints.values()].flatMap(({ id, signing }) =>
    signing.known || signing.code !== "items_undisclosed"
      ? []
      : [
          `${id} is refused, since its orders can't be counted: no limit, budget or bound could hold them. Change venue.yaml: ${signing.addLine}`,
        ],
  )
}
