import type { Plan } from "./events.ts"

/** Histories that broke a promise once, each the shortest that was found. */
export const cases: readonly (Pick<Plan, "events" | "isToEndWell"> & { readonly what: string })[] =
  [
    {
      what: "a revocation that is asked for again is answered no sooner than the first is durable",
      isToEndWell: true,
      events: [
        { do: "revoke client", bot: 2, then: "all" },
        { do: "revoke client", bot: 2, then: "all" },
      ],
    },
    {
      what: "a reload counts by its own limits what was signed under the files before it",
      isToEndWell: true,
      events: [
        { do: "batch", bot: 1, wanted: [{ order: 1, idempotency: 1 }], then: 11 },
        { do: "adopt", policy: 2, then: "all" },
      ],
    },
    {
      what: "a refusal gives room back by the limits in force, as after a restart",
      isToEndWell: true,
      events: [
        { do: "stop", then: "all" },
        { do: "start", policy: 2, dies: undefined, then: "all" },
        { do: "sign", bot: 0, wanted: { order: 1, key: "main" }, purpose: "forward", then: "all" },
        { do: "write marks", then: 0 },
        { do: "commit", most: 100, then: 0 },
        { do: "tell", then: "all" },
        { do: "crash", torn: "all", reboot: false, restore: false, then: "all" },
        { do: "start", policy: 1, dies: undefined, then: "all" },
        { do: "report", nth: 0, told: "sent", then: "all" },
        { do: "report", nth: 0, told: "refused", then: "all" },
      ],
    },
    {
      what: "a restore that is accepted while a request is refused for it is told as what it was",
      isToEndWell: false,
      events: [
        { do: "back up", then: "all" },
        { do: "batch", bot: 1, wanted: [{ order: 1, idempotency: 0 }], then: "all" },
        { do: "commit", most: 100, then: 0 },
        { do: "tell", then: "all" },
        { do: "pass", ms: 900, then: "all" },
        {
          ...{ do: "sign", bot: 1, wanted: { order: 1, idempotency: 1 }, purpose: "forward" },
          then: "all",
        },
        { do: "write marks", then: 0 },
        { do: "commit", most: 100, then: 0 },
        { do: "tell", then: "all" },
        { do: "write marks", then: 4 },
        { do: "crash", torn: "nothing", reboot: false, restore: true, then: "all" },
        { do: "start", policy: 2, dies: undefined, then: "all" },
        { do: "accept restore", then: 4 },
        {
          ...{ do: "sign", bot: 0, wanted: { order: 1, idempotency: 0 }, purpose: "forward" },
          then: "all",
        },
        {
          ...{ do: "sign", bot: 0, wanted: { order: 1, idempotency: 0 }, purpose: "forward" },
          then: "all",
        },
      ],
    },
    {
      what: "a reload under a clock that ran ahead forgets nothing that still counts once it was set back",
      isToEndWell: false,
      events: [
        {
          do: "batch",
          bot: 0,
          wanted: [{ order: 6 }, { order: { exit: 2 } }, { order: 6 }],
          then: 11,
        },
        { do: "leap", ms: 11_000, then: "all" },
        { do: "accept clock", then: "all" },
        { do: "adopt", policy: 3, then: "all" },
        { do: "commit", most: 100, then: 0 },
        { do: "tell", then: 4 },
        { do: "commit", most: 100, then: 0 },
        { do: "tell", then: 7 },
        { do: "leap", ms: -86_400_000, then: 3 },
        { do: "accept clock", then: "all" },
        { do: "commit", most: 100, then: 0 },
        { do: "tell", then: "all" },
        { do: "sign", bot: 0, wanted: { order: { exit: 2 } }, purpose: "return", then: 8 },
      ],
    },
  ]
