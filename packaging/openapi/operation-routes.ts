// The three calls that there are of each write endpoint of the venue.

import type { Endpoint } from "../../src/venue/profile.ts"
import { jsonAnswer, successAnswer, type ContractRoute } from "./contract-route.ts"
import { rateLimits } from "./headers.ts"
import { refTo, type Json } from "./json-schema.ts"
import { operationBodies } from "./operation-bodies.ts"
import { checkErrors, forwardErrors, signErrors } from "./route-errors.ts"
import { shownAnswer } from "./shown.ts"

/** To forward, sign and check an operation. */
export function operationRoutes(endpoint: Endpoint): readonly ContractRoute[] {
  return [forwardRoute(endpoint), signRoute(endpoint), checkRoute(endpoint)]
}

const signHeaders = [
  ...["CountersignKey", "CountersignExpiresIn", "IdempotencyKey", "CountersignCheck"],
]

function forwardRoute(endpoint: Endpoint): ContractRoute {
  return {
    ...operationRoute(endpoint, "", endpoint.id),
    tag: "forward",
    summary: `Sign ${endpoint.id} and send it to the venue`,
    description:
      "Sent once, and never again by itself. The venue's status and body come back as they are.",
    parameters: [...signHeaders, "Traceparent"],
    answer: {
      ...jsonAnswer("The venue's answer.", answerOf(endpoint), shownAnswer("POST /v1/…")),
      headers: ["CountersignRecord", "CountersignRepeat", "RetryAfter", ...rateLimits],
      isVenue: true,
    },
    errors: forwardErrors,
  }
}

function signRoute(endpoint: Endpoint): ContractRoute {
  return {
    ...operationRoute(endpoint, "/sign", `sign${capital(endpoint.id)}`),
    tag: "sign",
    summary: `Sign ${endpoint.id}`,
    description: "Answers the signed body, one line: send it unchanged to the venue.",
    parameters: signHeaders,
    answer: {
      ...jsonAnswer("The signed body.", refTo("SignedBody"), signedExample(endpoint)),
      headers: ["CountersignRecord", "CountersignRepeat", ...rateLimits],
    },
    errors: signErrors,
  }
}

function checkRoute(endpoint: Endpoint): ContractRoute {
  return {
    ...operationRoute(endpoint, "/check", `check${capital(endpoint.id)}`),
    tag: "check",
    summary: `Say whether ${endpoint.id} would be signed, and why`,
    description: "Nothing is signed or counted. What would be refused is 200 too.",
    parameters: [...signHeaders, "CountersignShadow"],
    answer: {
      ...successAnswer(
        "What rules and limits make of it.",
        refTo("CheckReport"),
        "POST /check/v1/…",
      ),
      headers: ["CountersignRecord"],
    },
    errors: checkErrors,
  }
}

function operationRoute({ id, path }: Endpoint, prefix: string, operationId: string) {
  return {
    method: "post",
    path: `${prefix}${path}`,
    id: operationId,
    body: operationBodies[id],
    needsToken: true,
  } as const
}

/** The interface shows the answer of one operation alone. */
function answerOf({ id }: Endpoint): Json {
  return refTo(id === "placeOrder" ? "PlaceOrderAnswer" : "VenueAnswer")
}

/** The signed order of docs/http-api/, with the operation's business fields in the place of the order's. */
function signedExample({ id }: Endpoint): object {
  const { expires_after, nonce, signature, signer_address } = shownAnswer(
    "POST /sign/v1/…",
  ) as Readonly<Record<string, unknown>>
  const business = operationBodies[id].example
  return { ...business, expires_after, nonce, signature, signer_address }
}

function capital(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`
}
