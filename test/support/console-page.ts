import { registerHooks } from "node:module"
import type { TestContext } from "node:test"

// The console's page in Node. Import this first, and a module of the page that uses a library after it, by import().

/**
 * The page imports its libraries by the names under which the server has them, `./lib/lit-html.js`; here they are
 * the packages that these are files of.
 */
registerHooks({
  resolve(specifier, context, next) {
    const name = /^(?:\.\.?\/)+lib\/(.+)\.js$/.exec(specifier)?.[1]
    const isOfPage = context.parentURL?.includes("/src/console/page/") === true
    if (name === undefined || !isOfPage) return next(specifier, context)
    return next(name.replace(/^directives\/.+/, "lit-html/$&.js"), context)
  },
})

/** Puts something in the place of one that browsers have, until the test ends. */
export function replaceGlobal(t: TestContext, name: string, value: unknown): void {
  const own = Object.getOwnPropertyDescriptor(globalThis, name)
  Object.defineProperty(globalThis, name, { value, configurable: true, writable: true })
  t.after(() => {
    if (own === undefined) Reflect.deleteProperty(globalThis, name)
    else Object.defineProperty(globalThis, name, own)
  })
}

/** A session's storage that only this test has, with this in it. */
export function giveStorage(
  t: TestContext,
  has: Readonly<Record<string, string>> = {},
): Map<string, string> {
  const kept = new Map(Object.entries(has))
  replaceGlobal(t, "sessionStorage", {
    getItem: (name: string) => kept.get(name) ?? null,
    setItem: (name: string, value: string) => void kept.set(name, value),
    removeItem: (name: string) => void kept.delete(name),
  })
  return kept
}

/** What a page that has a session keeps. */
export const ofSession = { "countersign-proof": "p" }

export type Fetched = {
  readonly path: string
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: unknown
  readonly signal: AbortSignal | undefined
}

/** Has `fetch` answer what is said here; an error is one of the network. Returns what was fetched. */
export function giveFetch(
  t: TestContext,
  answer: (asked: Fetched) => Response | Error,
): readonly Fetched[] {
  const fetched: Fetched[] = []
  replaceGlobal(t, "fetch", (path: string, init: RequestInit) => {
    const { method = "GET", headers, body, signal } = init
    const asked: Fetched = {
      path,
      method,
      headers: headers as Record<string, string>,
      body: typeof body === "string" ? JSON.parse(body) : undefined,
      signal: signal ?? undefined,
    }
    fetched.push(asked)
    const given = answer(asked)
    return given instanceof Error ? Promise.reject(given) : Promise.resolve(given)
  })
  return fetched
}

/** What the console's server says where it says no. */
export function refusal(status: number, why: string): Response {
  return Response.json({ why }, { status })
}

type Template = { readonly strings: readonly string[]; readonly values: readonly unknown[] }

/** What a template of the page says, without its markup. */
export function wordsOf(template: Template): string {
  return markupOf(template)
    .replace(/<[^>]*>/g, " ")
    .replace(/\s+/g, " ")
}

/** What a template of the page is made of; values of attributes may lack quotes. */
export function markupOf(part: unknown): string {
  if (Array.isArray(part)) return part.map(markupOf).join("")
  if (isRepeat(part)) return part.values[0].map((each) => markupOf(part.values[2](each))).join("")
  if (isTemplate(part)) {
    return part.strings.map((text, index) => text + markupOf(part.values[index])).join("")
  }
  return typeof part === "string" || typeof part === "number" ? String(part) : ""
}

type Repeat = {
  readonly values: readonly [
    items: readonly unknown[],
    keyOf: unknown,
    template: (item: unknown) => unknown,
  ]
}

/** What lit-html's `repeat` makes, which only a browser draws. */
function isRepeat(part: unknown): part is Repeat {
  return typeof part === "object" && part !== null && "_$litDirective$" in part
}

function isTemplate(part: unknown): part is Template {
  return typeof part === "object" && part !== null && "strings" in part
}
