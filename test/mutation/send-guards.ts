import { guardsOf, type Guard } from "./guard.ts"

/** What keeps the gate from sending a request again whose answer it has, and one owner's calls from keeping others waiting. */
export const sendGuards: readonly Guard[] = [
  ...guardsOf(
    "gate/sign/sign.ts",
    ["unit/gate/sign/repeats"],
    [
      {
        find: "next.lastAsk < oldest",
        replace: "next.lastAsk <= oldest",
        why: "a repeat that the vault answered before it heard of a refusal is sent, past its limits",
      },
      {
        find: "else void heard.then(() => asks.whenOver(forget))",
        replace: "else asks.whenOver(forget)",
        why: "a repeat is sent while the vault hasn't heard of a refusal yet",
      },
      {
        find: "if (earlier !== undefined) return earlier",
        replace: "",
        why: "each repeat is sent by itself",
      },
    ],
  ),
  ...guardsOf(
    "std/time/moment.ts",
    ["unit/gate/sign/sign"],
    [
      {
        find: "Math.max(now.wallMs - wallMs, now.monotonicMs - monotonicMs)",
        replace: "now.monotonicMs - monotonicMs",
        why: "what a vault gives out after the machine was suspended is handed on",
      },
      {
        find: "Math.max(now.wallMs - wallMs, now.monotonicMs - monotonicMs)",
        replace: "now.wallMs - wallMs",
        why: "what a vault gives out after it stood still is handed on, for the clock was set back",
      },
    ],
  ),
  ...guardsOf(
    "gate/sign/sign.ts",
    ["unit/gate/sign/sign"],
    [
      {
        find: "if (!isInTime(signed)) return",
        replace: "if (false) return",
        why: "a bot is given it",
      },
      {
        find: "if (!isInTime(answer)) return",
        replace: "if (false) return",
        why: "a bot is given it in a batch",
      },
    ],
  ),
  ...guardsOf(
    "gate/sign/forward.ts",
    ["unit/gate/sign/forward"],
    [
      {
        find: "} finally {\n    end()",
        replace: "} finally {\n    void end",
        why: "answers are kept for ever, and given for requests that are to be sent again",
      },
      {
        find: " || !isInTime(signed)",
        replace: "",
        why: "the venue is sent what a vault gives out after it stood still",
      },
    ],
  ),
  ...guardsOf(
    "gate/http/shares.ts",
    ["unit/gate/http/turns"],
    [
      {
        find: "hadBy(owner) + next.cost",
        replace: "hadBy(owner) + 1",
        why: "an owner of large calls has more of the vault than others",
      },
      {
        find: "hadBy(nextOwner() ?? owner)",
        replace: "0",
        why: "who comes anew goes before all who wait, for as long as they have",
      },
    ],
  ),
]
