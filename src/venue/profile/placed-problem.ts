import type { YamlPath } from "../../std/yaml-file.ts"
import type { Endpoint } from "../profile.ts"
import type { EndpointSettings } from "./profile-schema.ts"

/** A problem in venue.yaml, at the value that `path` leads to. */
export type PlacedProblem = { readonly path: YamlPath; readonly message: string }

/** venue.yaml's settings of one operation. */
export type Given = { readonly endpoint: Endpoint; readonly settings: EndpointSettings }

/** Places a problem at one setting of an operation. */
export function atSetting(
  { endpoint }: Given,
  setting: keyof EndpointSettings,
  message: string,
): PlacedProblem {
  return { path: ["endpoints", endpoint.id, setting], message }
}
