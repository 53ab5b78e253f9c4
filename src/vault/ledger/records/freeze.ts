import * as z from "zod"

import type { Refusal } from "../../../contract/refusal.ts"
import type { Immutable } from "../../../std/immutable.ts"
import type { Lane } from "../../../venue/payload/payload.ts"
import { text, whole } from "./fields.ts"

/** Whom a freeze stops: everybody, one client, or one key. `name` is `null` for all. */
export type FreezeScope = Immutable<z.infer<typeof freezeScope>>

export const freezeScope = z.discriminatedUnion("scope", [
  z.object({ scope: z.literal("all"), name: z.null() }),
  z.object({ scope: z.enum(["client", "key"]), name: text }),
])

/** A stop that holds until an operator thaws it. */
export type Freeze = Immutable<z.infer<typeof freezeSchema>>

export const freezeSchema = freezeScope.and(
  z.object({
    reason: text,
    /** The operator, the client that asked for it, or what saw trouble: `freeze_on/…`, `heartbeats/…`. */
    by: text,
    /** Whether cancels and reduce-only orders stay open. */
    cancels: z.boolean(),
    since: whole,
  }),
)

/** Whether two are about the same: the later takes the earlier one's place. */
export function isSameScope(a: FreezeScope, b: FreezeScope): boolean {
  return a.scope === b.scope && a.name === b.name
}

/** Whoever freezes what is frozen takes away no stop: where cancels are stopped, they stay so until an operator thaws. */
export function keepStops<Frozen extends Freeze>(
  freeze: Frozen,
  freezes: readonly Freeze[],
): Frozen {
  const earlier = freezes.find((each) => isSameScope(each, freeze))
  return { ...freeze, cancels: freeze.cancels && earlier?.cancels !== false }
}

/** The freeze that stops a request, if any does: of several, one that stops cancels too comes first. */
export function freezeOf(
  request: { readonly client: string; readonly key: string; readonly lane: Lane },
  freezes: readonly Freeze[],
): Freeze | undefined {
  const stopping = freezes
    .filter((freeze) => isFor(freeze, request))
    .filter(({ cancels }) => request.lane === "open" || !cancels)
  return stopping.find(({ cancels }) => !cancels) ?? stopping[0]
}

/** The refusal that says what is frozen, by whom and why. */
export function frozen(freeze: Freeze): Refusal {
  const { scope, name, reason, by, cancels, since } = freeze
  return {
    code: "frozen",
    message: `${freezeSentence(freeze)}: ${reason}. An operator thaws it with countersign thaw.`,
    data: { scope, name, reason, by, cancels, since },
  }
}

/** What is frozen, by whom and how far, without the reason, which a bot may have written; and without a full stop. */
export function freezeSentence({ scope, name, by, cancels }: Freeze): string {
  const what = name === null ? "Everything" : `The ${scope} ${name}`
  const open = cancels ? "; cancels and reduce-only orders stay open" : ", cancels too"
  return `${what} is frozen by ${by}${open}`
}

function isFor(
  freeze: FreezeScope,
  { client, key }: { readonly client: string; readonly key: string },
): boolean {
  switch (freeze.scope) {
    case "all":
      return true
    case "client":
      return freeze.name === client
    case "key":
      return freeze.name === key
  }
}
